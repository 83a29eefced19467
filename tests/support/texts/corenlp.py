"""Output of Stanford CoreNLP, as JSON and as XML."""

from __future__ import annotations

from typing import Any


def token(index: int, word: str, pos: str) -> dict[str, Any]:
    return {
        "index": index,
        "word": word,
        "originalText": word,
        "lemma": word.lower(),
        "characterOffsetBegin": 0,
        "characterOffsetEnd": 0,
        "pos": pos,
        "ner": "PERSON" if word == "Mary" else "O",
        "speaker": "PER0",
        "before": "",
        "after": " ",
    }


def mention(sentence: int, start: int, end: int, head: int, **more: Any) -> dict[str, Any]:
    numbers = {"startIndex": start, "endIndex": end, "headIndex": head, "sentNum": sentence, "position": [sentence, 1]}
    kinds = {"id": 1, "text": "?", "type": "PRONOMINAL", "number": "SINGULAR", "gender": "FEMALE", "animacy": "ANIMATE"}
    return kinds | numbers | {"isRepresentativeMention": False} | more


def document() -> dict[str, Any]:
    """Fields and their order as CoreNLP's JSONOutputter writes them."""
    edges = [("ROOT", 0, 2), ("nsubj", 2, 1), ("obj", 2, 4), ("nmod:poss", 4, 3)]
    dependencies = [
        {"dep": d, "governor": g, "governorGloss": "?", "dependent": n, "dependentGloss": "?"} for d, g, n in edges
    ]
    return {
        "docId": "a.txt",
        "sentences": [
            {
                "index": 0,
                "parse": "(ROOT\n  (S\n    (NP (NNP Mary))\n    (VP (VBD sold) (NP (PRP$ her) (NN car)))))",
                "basicDependencies": dependencies,
                "enhancedDependencies": dependencies,
                "entitymentions": [],
                "tokens": [
                    token(1, "Mary", "NNP"),
                    token(2, "sold", "VBD"),
                    token(3, "her", "PRP$"),
                    token(4, "car", "NN"),
                ],
            },
            {"index": 1, "tokens": [token(1, "She", "PRP"), token(2, "wept", "VBD")]},
        ],
        "corefs": {
            "4": [
                mention(1, 1, 2, 1, type="PROPER", isRepresentativeMention=True),
                mention(1, 3, 4, 3, id=2),
                mention(2, 1, 2, 1, id=5),
            ],
            "3": [mention(1, 3, 5, 4, type="NOMINAL", animacy="INANIMATE")],
        },
    }


XML = """<?xml version="1.0" encoding="UTF-8"?>
<root>
<document>
<docId>b.txt</docId>
<sentences>
<sentence id="1"><tokens>
<token id="1"><word>Mary</word><lemma>Mary</lemma><POS>NNP</POS><NER>PERSON</NER><Speaker>PER0</Speaker></token>
<token id="2"><word>wept</word><lemma>weep</lemma><POS>VBD</POS><NER>O</NER></token>
</tokens><parse>(ROOT (S (NP (NNP Mary)) (VP (VBD wept)))) </parse>
<dependencies type="basic-dependencies"><dep type="nsubj"><governor idx="2">wept</governor>
<dependent idx="1">Mary</dependent></dep></dependencies></sentence>
<sentence id="2"><tokens><token id="1"><word>She</word></token></tokens></sentence>
</sentences>
<coreference>
<coreference>
<mention representative="true"><sentence>1</sentence><start>1</start><end>2</end><head>1</head></mention>
<mention><sentence>2</sentence><start>1</start><end>2</end><head>1</head></mention>
</coreference>
</coreference>
</document>
</root>
"""
