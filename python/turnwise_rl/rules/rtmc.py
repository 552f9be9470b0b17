"""RTMC: rollouts that visit the same state are compared there: the mean return of an action minus the value of the state.

    G_t    = r_t + gamma G_{t+1}, r_t = reward, + bonus if the turn validates, + outcome on the last turn
    Q(s,a) = W(s,a) / N(s,a), where N and W are the number and the sum of the G_t of first visits, one per trajectory
    V(s)   = (sum_a W(s,a) + kappa p) / (sum_a N(s,a) + kappa), p = share of rollouts that are solved
    A_t    = Q(s_t,a_t) - V(s_t); with scale "std" divided by (population std of A + 1e-6), without centring

Wang, Zheng, Xu 2026, arXiv 2604.11037.
"""

from typing import Annotated, Literal

from turnwise_rl import GroupError, Range, discounted, outcomes, signature, std, total, trajectories


def credit(
    group,
    gamma: Annotated[float, Range(0, 1, "Discount of a reward for each earlier turn.")] = 0.99,
    kappa: Annotated[float, Range(0, 50, "Number of visits that the share of solved rollouts counts for.")] = 2.0,
    bonus: Annotated[float, Range(0, 1, "Added to the reward of a turn that validates its change.")] = 0.0,
    scale: Literal["none", "std"] = "none",
):
    turns, paths = group.turns, trajectories(group)
    visits = {}  # state -> action -> returns of first visits
    G = [0.0] * len(turns)
    for path, outcome in zip(paths, outcomes(group, paths, missing=0.0)):
        r = [turns[turn].reward + (bonus if turns[turn].validates else 0.0) for turn in path]
        r[-1] += outcome
        met = set()
        for turn, value in zip(path, discounted(r, gamma)):
            G[turn] = value
            edge = signature(group, turn, "state"), signature(group, turn, "action")
            if edge not in met:
                visits.setdefault(edge[0], {}).setdefault(edge[1], []).append(value)
            met.add(edge)

    for path in paths:
        if type(turns[path[-1]].solved) is not bool:
            raise GroupError("missing on the last turn of a trajectory", path[-1], "solved")
    p = sum(turns[path[-1]].solved for path in paths) / max(len(paths), 1)
    N = {state: sum(map(len, edges.values())) for state, edges in visits.items()}
    V = {s: (total(map(total, edges.values())) + kappa * p) / (N[s] + kappa) for s, edges in visits.items()}
    q = [total(visits[t.state][t.action]) / len(visits[t.state][t.action]) for t in turns]
    v = [V[t.state] for t in turns]
    A = [a - b for a, b in zip(q, v)]
    divisor = std(A) + 1e-6 if scale == "std" else 1.0
    return [a / divisor for a in A], {"return": G, "q": q, "v": v, "visits": [N[t.state] for t in turns]}
