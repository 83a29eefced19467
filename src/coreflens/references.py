"""The papers behind the metrics and the systems, as BibTeX."""

from __future__ import annotations

from typing import TypeAlias

Reference: TypeAlias = tuple[str, dict[str, str]]  # kind of entry, fields


def bibtex(key: str) -> str:
    """The BibTeX entry of a citation key such as `luo2005`."""
    kind, fields = REFERENCES[key]
    body = ",\n".join(f"  {name:<9} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{body}\n}}"


def short(key: str) -> str:
    """`Luo (2005)`, for a line of text."""
    _, fields = REFERENCES[key]
    names = [author.split(",")[0] for author in fields["author"].split(" and ")]
    who = names[0] if len(names) == 1 else " & ".join(names) if len(names) == 2 else f"{names[0]} et al."
    return f"{who} ({fields['year']})"


def _paper(author: str, title: str, year: str, booktitle: str, pages: str = "", **more: str) -> Reference:
    fields = {"author": author, "title": title, "booktitle": booktitle, "year": year}
    return "inproceedings", fields | ({"pages": pages} if pages else {}) | more


def _article(author: str, title: str, year: str, journal: str, **more: str) -> Reference:
    return "article", {"author": author, "title": title, "journal": journal, "year": year} | more


REFERENCES: dict[str, Reference] = {
    "vilain1995": _paper(
        "Vilain, Marc and Burger, John and Aberdeen, John and Connolly, Dennis and Hirschman, Lynette",
        "A Model-Theoretic Coreference Scoring Scheme",
        "1995",
        "Proceedings of the Sixth Message Understanding Conference (MUC-6)",
        "45--52",
    ),
    "bagga1998": _paper(
        "Bagga, Amit and Baldwin, Breck",
        "Algorithms for Scoring Coreference Chains",
        "1998",
        "Proceedings of the LREC Workshop on Linguistic Coreference",
        "563--566",
    ),
    "popescu1998": _paper(
        "Popescu-Belis, Andrei and Robba, Isabelle",
        "Three New Methods for Evaluating Reference Resolution",
        "1998",
        "Proceedings of the LREC Workshop on Linguistic Coreference",
    ),
    "luo2005": _paper(
        "Luo, Xiaoqiang",
        "On Coreference Resolution Performance Metrics",
        "2005",
        "Proceedings of HLT/EMNLP 2005",
        "25--32",
    ),
    "stoyanov2009": _paper(
        "Stoyanov, Veselin and Gilbert, Nathan and Cardie, Claire and Riloff, Ellen",
        "Conundrums in Noun Phrase Coreference Resolution: Making Sense of the State-of-the-Art",
        "2009",
        "Proceedings of ACL-IJCNLP 2009",
        "656--664",
    ),
    "rahman2009": _paper(
        "Rahman, Altaf and Ng, Vincent",
        "Supervised Models for Coreference Resolution",
        "2009",
        "Proceedings of EMNLP 2009",
        "968--977",
    ),
    "menestrina2010": _article(
        "Menestrina, David and Whang, Steven Euijong and Garcia-Molina, Hector",
        "Evaluating Entity Resolution Results",
        "2010",
        "Proceedings of the VLDB Endowment",
        volume="3",
        number="1",
        pages="208--219",
    ),
    "denis2009": _article(
        "Denis, Pascal and Baldridge, Jason",
        "Global Joint Models for Coreference Resolution and Named Entity Classification",
        "2009",
        "Procesamiento del Lenguaje Natural",
        volume="42",
        pages="87--96",
    ),
    "cai2010": _paper(
        "Cai, Jie and Strube, Michael",
        "Evaluation Metrics For End-to-End Coreference Resolution Systems",
        "2010",
        "Proceedings of SIGDIAL 2010",
        "28--36",
    ),
    "recasens2011": _article(
        "Recasens, Marta and Hovy, Eduard",
        "BLANC: Implementing the Rand Index for Coreference Evaluation",
        "2011",
        "Natural Language Engineering",
        volume="17",
        number="4",
        pages="485--510",
    ),
    "pradhan2011": _paper(
        "Pradhan, Sameer and Ramshaw, Lance and Marcus, Mitchell and Palmer, Martha and Weischedel, Ralph and "
        "Xue, Nianwen",
        "CoNLL-2011 Shared Task: Modeling Unrestricted Coreference in OntoNotes",
        "2011",
        "Proceedings of CoNLL 2011: Shared Task",
        "1--27",
    ),
    "pradhan2012": _paper(
        "Pradhan, Sameer and Moschitti, Alessandro and Xue, Nianwen and Uryupina, Olga and Zhang, Yuchen",
        "CoNLL-2012 Shared Task: Modeling Multilingual Unrestricted Coreference in OntoNotes",
        "2012",
        "Joint Conference on EMNLP and CoNLL - Shared Task",
        "1--40",
    ),
    "pradhan2014": _paper(
        "Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and Ng, Vincent and Strube, Michael",
        "Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation",
        "2014",
        "Proceedings of ACL 2014 (Short Papers)",
        "30--35",
    ),
    "luo2014": _paper(
        "Luo, Xiaoqiang and Pradhan, Sameer and Recasens, Marta and Hovy, Eduard",
        "An Extension of BLANC to System Mentions",
        "2014",
        "Proceedings of ACL 2014 (Short Papers)",
        "24--29",
        doi="10.3115/v1/P14-2005",
    ),
    "moosavi2016": _paper(
        "Moosavi, Nafise Sadat and Strube, Michael",
        "Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric",
        "2016",
        "Proceedings of ACL 2016",
        "632--642",
    ),
    "rand1971": _article(
        "Rand, William M.",
        "Objective Criteria for the Evaluation of Clustering Methods",
        "1971",
        "Journal of the American Statistical Association",
        volume="66",
        number="336",
        pages="846--850",
    ),
    "hubert1985": _article(
        "Hubert, Lawrence and Arabie, Phipps",
        "Comparing Partitions",
        "1985",
        "Journal of Classification",
        volume="2",
        pages="193--218",
    ),
    "rosenberg2007": _paper(
        "Rosenberg, Andrew and Hirschberg, Julia",
        "V-Measure: A Conditional Entropy-Based External Cluster Evaluation Measure",
        "2007",
        "Proceedings of EMNLP-CoNLL 2007",
        "410--420",
    ),
    "passonneau2004": _paper(
        "Passonneau, Rebecca J.",
        "Computing Reliability for Coreference Annotation",
        "2004",
        "Proceedings of LREC 2004",
        "1503--1506",
    ),
    "lee2011": _paper(
        "Lee, Heeyoung and Peirsman, Yves and Chang, Angel and Chambers, Nathanael and Surdeanu, Mihai "
        "and Jurafsky, Dan",
        "Stanford's Multi-Pass Sieve Coreference Resolution System at the CoNLL-2011 Shared Task",
        "2011",
        "Proceedings of the Fifteenth Conference on Computational Natural Language Learning: Shared Task",
        "28--34",
    ),
    "soon2001": _article(
        "Soon, Wee Meng and Ng, Hwee Tou and Lim, Daniel Chung Yong",
        "A Machine Learning Approach to Coreference Resolution of Noun Phrases",
        "2001",
        "Computational Linguistics",
        volume="27",
        number="4",
        pages="521--544",
    ),
    "krippendorff2004": (
        "book",
        {
            "author": "Krippendorff, Klaus",
            "title": "Content Analysis: An Introduction to Its Methodology",
            "edition": "2",
            "publisher": "Sage",
            "year": "2004",
        },
    ),
    "zabokrtsky2022": _paper(
        "Žabokrtský, Zdeněk and Konopík, Miloslav and Nedoluzhko, Anna and Novák, Michal and Ogrodniczuk, Maciej and "
        "Popel, Martin and Pražák, Ondřej and Sido, Jakub and Zeman, Daniel and Zhu, Yilun",
        "Findings of the Shared Task on Multilingual Coreference Resolution",
        "2022",
        "Proceedings of the CRAC 2022 Shared Task on Multilingual Coreference Resolution",
        "1--17",
    ),
    "novak2024": _paper(
        "Novák, Michal and Dohnalová, Barbora and Konopik, Miloslav and Nedoluzhko, Anna and Popel, Martin and "
        "Prazak, Ondrej and Sido, Jakub and Straka, Milan and Žabokrtský, Zdeněk and Zeman, Daniel",
        "Findings of the Third Shared Task on Multilingual Coreference Resolution",
        "2024",
        "Proceedings of the Seventh Workshop on Computational Models of Reference, Anaphora and Coreference",
        "78--96",
    ),
    "yu2023": _paper(
        "Yu, Juntao and Novák, Michal and Aloraini, Abdulrahman and Moosavi, Nafise Sadat and Paun, Silviu and "
        "Pradhan, Sameer and Poesio, Massimo",
        "The Universal Anaphora Scorer 2.0",
        "2023",
        "Proceedings of the 15th International Conference on Computational Semantics",
        "183--194",
    ),
    "paun2022": _article(
        "Paun, Silviu and Yu, Juntao and Moosavi, Nafise Sadat and Poesio, Massimo",
        "Scoring Coreference Chains with Split-Antecedent Anaphors",
        "2022",
        "arXiv preprint arXiv:2205.12323",
    ),
    "moosavi2019": _paper(
        "Moosavi, Nafise Sadat and Born, Leo and Poesio, Massimo and Strube, Michael",
        "Using Automatically Extracted Minimum Spans to Disentangle Coreference Evaluation from Boundary Detection",
        "2019",
        "Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics",
    ),
    "martinelli2025": _paper(
        "Martinelli, Giuliano and Bonomo, Tommaso and Huguet Cabot, Pere-Lluís and Navigli, Roberto",
        "BookCoref: Coreference Resolution at Book Scale",
        "2025",
        "Proceedings of the 63rd Annual Meeting of the Association for Computational Linguistics",
    ),
    "poesio2018": _paper(
        "Poesio, Massimo and Grishina, Yulia and Kolhatkar, Varada and Moosavi, Nafise and Roesiger, Ina and "
        "Roussel, Adam and Simonjetz, Fabian and Uma, Alexandra and Uryupina, Olga and Yu, Juntao and "
        "Zinsmeister, Heike",
        "Anaphora Resolution with the ARRAU Corpus",
        "2018",
        "Proceedings of the Workshop on Computational Models of Reference, Anaphora and Coreference",
        "11--22",
    ),
    "baumgartner2019": _paper(
        "Baumgartner, William and Bada, Michael and Pyysalo, Sampo and Ciosici, Manuel R. and Hailu, Negacy and "
        "Pielke-Lombardo, Harrison and Regan, Michael and Hunter, Lawrence",
        "CRAFT Shared Tasks 2019 Overview: Integrated Structure, Semantics, and Coreference",
        "2019",
        "Proceedings of the 5th Workshop on BioNLP Open Shared Tasks",
    ),
    "zabokrtsky2023": _paper(
        "Žabokrtský, Zdeněk and Konopik, Miloslav and Nedoluzhko, Anna and Novák, Michal and Ogrodniczuk, Maciej and "
        "Popel, Martin and Prazak, Ondrej and Sido, Jakub and Zeman, Daniel",
        "Findings of the Second Shared Task on Multilingual Coreference Resolution",
        "2023",
        "Proceedings of the CRAC 2023 Shared Task on Multilingual Coreference Resolution",
        "1--18",
    ),
    "recasens2010": _paper(
        "Recasens, Marta and Màrquez, Lluís and Sapena, Emili and Martí, M. Antònia and Taulé, Mariona and "
        "Hoste, Véronique and Poesio, Massimo and Versley, Yannick",
        "SemEval-2010 Task 1: Coreference Resolution in Multiple Languages",
        "2010",
        "Proceedings of the 5th International Workshop on Semantic Evaluation",
        "1--8",
    ),
    "recasens2013": _paper(
        "Recasens, Marta and de Marneffe, Marie-Catherine and Potts, Christopher",
        "The Life and Death of Discourse Entities: Identifying Singleton Mentions",
        "2013",
        "Proceedings of NAACL-HLT 2013",
        "627--633",
    ),
    "tuggener2014": _paper(
        "Tuggener, Don",
        "Coreference Resolution Evaluation for Higher Level Applications",
        "2014",
        "Proceedings of EACL 2014 (Short Papers)",
        "231--235",
    ),
    "agarwal2019": _paper(
        "Agarwal, Oshin and Subramanian, Sanjay and Nenkova, Ani and Roth, Dan",
        "Evaluation of named entity coreference",
        "2019",
        "Proceedings of the Second Workshop on Computational Models of Reference, Anaphora and Coreference",
        "1--7",
    ),
    "choi2018": _paper(
        "Choi, Jinho D. and Chen, Henry Y.",
        "SemEval 2018 Task 4: Character Identification on Multiparty Dialogues",
        "2018",
        "Proceedings of the 12th International Workshop on Semantic Evaluation",
        "57--64",
    ),
    "webster2018": _article(
        "Webster, Kellie and Recasens, Marta and Axelrod, Vera and Baldridge, Jason",
        "Mind the GAP: A Balanced Corpus of Gendered Ambiguous Pronouns",
        "2018",
        "Transactions of the Association for Computational Linguistics",
        volume="6",
        pages="605--617",
    ),
    "cybulska2014": _paper(
        "Cybulska, Agata and Vossen, Piek",
        "Using a Sledgehammer to Crack a Nut? Lexical Diversity and Event Coreference Resolution",
        "2014",
        "Proceedings of LREC 2014",
        "4545--4552",
    ),
    "bugert2021": _article(
        "Bugert, Michael and Reimers, Nils and Gurevych, Iryna",
        "Generalizing Cross-Document Event Coreference Resolution Across Multiple Corpora",
        "2021",
        "Computational Linguistics",
        volume="47",
        number="3",
        pages="575--614",
    ),
    "bamman2020": _paper(
        "Bamman, David and Lewke, Olivia and Mansoor, Anya",
        "An Annotated Dataset of Coreference in English Literature",
        "2020",
        "Proceedings of LREC 2020",
        "44--54",
    ),
    "chen2018": _paper(
        "Chen, Hong and Fan, Zhenhua and Lu, Hao and Yuille, Alan and Rong, Shu",
        "PreCo: A Large-scale Dataset in Preschool Vocabulary for Coreference Resolution",
        "2018",
        "Proceedings of EMNLP 2018",
        "172--181",
    ),
}
