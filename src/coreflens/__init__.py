"""coreflens: the evaluation system for coreference resolution.

import coreflens as cl
r = cl.score("key.conll", "response.conll")
print(r); r["muc"].f1; r.conll; r.by_document()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0.dev0"

if TYPE_CHECKING:
    from .comparison import Comparison as Comparison
    from .comparison import compare as compare
    from .comparison.published import published as published
    from .comparison.systems import System as System
    from .corpora.compatibility import Pairs as Pairs
    from .corpora.compatibility import pair as pair
    from .corpora.conversion import convert as convert
    from .corpora.conversion import write as write
    from .corpora.description import Description as Description
    from .corpora.description import describe as describe
    from .corpora.joining import join as join
    from .corpora.prompts import prompts as prompts
    from .corpora.submission import Submission as Submission
    from .corpora.submission import check_submission as check_submission
    from .corpora.validation import validate as validate
    from .corpus.model import Corpus as Corpus
    from .corpus.model import Document as Document
    from .corpus.model import Mention as Mention
    from .corpus.model import Relation as Relation
    from .corpus.model import Text as Text
    from .diagnosis import Diagnosis as Diagnosis
    from .diagnosis import diagnose as diagnose
    from .engines.choice import score as score
    from .errors import CoreflensError as CoreflensError
    from .errors import InputError as InputError
    from .errors import Issue as Issue
    from .errors import MissingFile as MissingFile
    from .errors import Suspicion as Suspicion
    from .errors import UsageError as UsageError
    from .estimates import Estimates as Estimates
    from .estimates import Plan as Plan
    from .estimates import SampleTable as SampleTable
    from .estimates import estimate as estimate
    from .estimates import plan as plan
    from .estimates import sample as sample
    from .experiments import Ablation as Ablation
    from .experiments import Probe as Probe
    from .experiments import Tuning as Tuning
    from .experiments import ablate as ablate
    from .experiments import probe as probe
    from .experiments import tune as tune
    from .explanation import Explanation as Explanation
    from .explanation import explain as explain
    from .files.limits import limits as limits
    from .formats import Input as Input
    from .formats import read as read
    from .formats.shared.problems import Problem as Problem
    from .formats.shared.repairs import repair as repair
    from .options import Options as Options
    from .options import Policies as Policies
    from .resolvers import resolve as resolve
    from .scoring.counts import Counts as Counts
    from .scoring.coverage import Coverage as Coverage
    from .scoring.loading import load_counts as load_counts
    from .scoring.result import Result as Result
    from .scoring.scorer import Accumulator as Accumulator
    from .scoring.scorer import Scorer as Scorer
    from .scoring.scorer import partitions as partitions
    from .scoring.scores import Score as Score
    from .scoring.scores import Scores as Scores
    from .scoring.settings import Settings as Settings
    from .scoring.signature import Signature as Signature
    from .stats import Interval as Interval
    from .stats import Intervals as Intervals
    from .stats import PairedTest as PairedTest
    from .store.views import Database as Database
    from .store.views import open_db as open_db
    from .studies.agreement import agree as agree
    from .studies.correlation import correlate as correlate
    from .studies.curve import Curve as Curve
    from .studies.curve import curve as curve
    from .studies.major import Major as Major
    from .studies.major import major as major
    from .studies.minimal_pairs import MinimalPairs as MinimalPairs
    from .studies.minimal_pairs import minimal_pairs as minimal_pairs
    from .studies.questions import make_quiz as make_quiz
    from .studies.quiz import Quiz as Quiz
    from .studies.quiz import score_quiz as score_quiz
    from .studies.ranges import Ranges as Ranges
    from .studies.ranges import windows as windows
    from .studies.sweeps import sweep as sweep
    from .viewer import View as View
    from .viewer import view as view

# Public name → the module it lives in; loaded when first used, so that `import coreflens` costs next to nothing.
_PUBLIC = {
    "Ablation": "experiments",
    "Accumulator": "scoring.scorer",
    "Comparison": "comparison",
    "CoreflensError": "errors",
    "Corpus": "corpus.model",
    "Counts": "scoring.counts",
    "Coverage": "scoring.coverage",
    "Database": "store.views",
    "Curve": "studies.curve",
    "Description": "corpora.description",
    "Diagnosis": "diagnosis",
    "Document": "corpus.model",
    "Estimates": "estimates",
    "Explanation": "explanation",
    "Input": "formats",
    "InputError": "errors",
    "Interval": "stats",
    "Intervals": "stats",
    "Issue": "errors",
    "Major": "studies.major",
    "Mention": "corpus.model",
    "MissingFile": "errors",
    "MinimalPairs": "studies.minimal_pairs",
    "Options": "options",
    "PairedTest": "stats",
    "Pairs": "corpora.compatibility",
    "Plan": "estimates",
    "Policies": "options",
    "Probe": "experiments",
    "Problem": "formats.shared.problems",
    "Ranges": "studies.ranges",
    "Quiz": "studies.quiz",
    "Relation": "corpus.model",
    "Result": "scoring.result",
    "SampleTable": "estimates",
    "Score": "scoring.scores",
    "Scorer": "scoring.scorer",
    "Scores": "scoring.scores",
    "Settings": "scoring.settings",
    "Signature": "scoring.signature",
    "Submission": "corpora.submission",
    "Suspicion": "errors",
    "System": "comparison.systems",
    "Text": "corpus.model",
    "Tuning": "experiments",
    "UsageError": "errors",
    "View": "viewer",
    "ablate": "experiments",
    "agree": "studies.agreement",
    "check_submission": "corpora.submission",
    "compare": "comparison",
    "convert": "corpora.conversion",
    "correlate": "studies.correlation",
    "curve": "studies.curve",
    "describe": "corpora.description",
    "diagnose": "diagnosis",
    "estimate": "estimates",
    "explain": "explanation",
    "join": "corpora.joining",
    "limits": "files.limits",
    "load_counts": "scoring.loading",
    "major": "studies.major",
    "minimal_pairs": "studies.minimal_pairs",
    "make_quiz": "studies.questions",
    "open_db": "store.views",
    "pair": "corpora.compatibility",
    "partitions": "scoring.scorer",
    "plan": "estimates",
    "probe": "experiments",
    "prompts": "corpora.prompts",
    "published": "comparison.published",
    "read": "formats",
    "repair": "formats.shared.repairs",
    "resolve": "resolvers",
    "sample": "estimates",
    "score": "engines.choice",
    "score_quiz": "studies.quiz",
    "sweep": "studies.sweeps",
    "tune": "experiments",
    "validate": "corpora.validation",
    "view": "viewer",
    "windows": "studies.ranges",
    "write": "corpora.conversion",
}

# Class of a result → the module of `report` that writes it; `presentation` looks it up when a result is shown.
WRITERS = {
    "comparison.sections.Comparison": "report.comparison",
    "corpora.description.Description": "report.description",
    "corpora.taggers.Taggers": "report.taggers",
    "diagnosis.results.Diagnosis": "report.diagnosis",
    "estimates.planning.Plan": "report.plan",
    "estimates.results.Estimates": "report.estimates",
    "experiments.ablation.Ablation": "report.ablation",
    "experiments.probing.Probe": "report.probe",
    "experiments.tuning.Tuning": "report.tuning",
    "explanation.structure.Explanation": "report.explanation",
    "scoring.result.Result": "report.score",
    "store.queries.Answer": "report.answer",
    "studies.agreement.Agreement": "report.agreement",
    "studies.categories.Categories": "report.categories",
    "studies.correlation.Correlations": "report.correlation",
    "studies.curve.Curve": "report.curve",
    "studies.leniency.Leniency": "report.leniency",
    "studies.major.Major": "report.major",
    "studies.minimal_pairs.MinimalPairs": "report.minimal_pairs",
    "studies.quiz.Quiz": "report.quiz",
    "studies.ranges.Ranges": "report.ranges",
    "studies.sweeps.Sweep": "report.sweep",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'coreflens' has no attribute '{name}'")
    value = getattr(import_module(f".{_PUBLIC[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
