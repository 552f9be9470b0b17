"""Simple peer program for `npm run bench:file -- --python`: GRPO-OR with json and numpy, line by line.

    python bench/simpleCredit.py IN OUT
"""

import json
import sys

import numpy as np


def main(source: str, target: str) -> None:
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            group = json.loads(line)
            turns = group["turns"]
            root, outcome = [], {}
            for index, turn in enumerate(turns):
                root.append(index if turn["parent"] < 0 else root[turn["parent"]])
                if "outcome" in turn:
                    outcome[root[index]] = turn["outcome"]
            values = np.array(list(outcome.values()))
            deviation = values.std(ddof=1) if len(values) > 1 else 0.0
            advantage = dict(zip(outcome, (values - values.mean()) / (deviation + 1e-6)))
            out.write(json.dumps({"id": group["id"], "advantage": [float(advantage[at]) for at in root]}) + "\n")


main(*sys.argv[1:])
