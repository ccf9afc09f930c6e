"""What a Prometheus is asked: of all source replicas, all that has to be known to trust a rate, in one query.

Why: parts that were asked for one after the other would be of different moments.
Called by: asking; `reading` knows the parts by their names.
"""

import json
from collections.abc import Mapping
from enum import StrEnum

OFFERED, LEADS = "levee_rows_offered_total", "levee_leads"
PART = "levee_part"  # the label by which the parts are told apart


class Part(StrEnum):
    RATE = "rate"
    RESETS = "resets"  # in the window: more than none, and the rate is a guess
    SEEN = "seen"  # when it was scraped last; absent: the scrape fails, or the worker is gone
    BEGAN = "began"  # present: it was there before the window began, so that the rate is that of all of it
    LED = "led"  # 1: all the time; who stands by or follows takes in nothing, and his rate is no rate


def question(window_s: int, labels: Mapping[str, str]) -> str:
    """`labels`: what the series of this cluster bear, where a Prometheus has those of several."""
    ours = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in labels.items())
    offered, leads = (f"{name}{{{ours}}}" if ours else name for name in (OFFERED, LEADS))
    asked = {
        Part.RATE: f"rate({offered}[{window_s}s])",
        Part.RESETS: f"resets({offered}[{window_s}s])",
        Part.SEEN: f"timestamp({offered})",
        Part.BEGAN: f"timestamp({offered} offset {window_s}s)",
        Part.LED: f"min_over_time({leads}[{window_s}s])",
    }
    return " or ".join(f'label_replace({text}, "{PART}", "{part}", "", "")' for part, text in asked.items())
