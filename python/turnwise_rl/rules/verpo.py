"""VeRPO: the reward of a turn is the weight of the unit tests that it passes, and a solved task has an additional reward.

    rho_j    = share of all turns of the group that pass test j
    w_j      = exp(-alpha rho_j), d_j = sum_k exp(-(rho_j - rho_k)^2 / (2 sigma^2)), sigma = max(std rho / 2, 1e-3)
    R_{i,t}  = sum of weight_j = w_j / (d_j + 1e-6) over the tests that the turn passes
    R_i      = decay^(K_i - 1) if the last turn passes every test, else 0
    A_{i,t}  = (R_i - mean_j R_j) + beta (R_{i,t} - mean over all turns)

Wang, Wu et al. 2026, arXiv 2601.03525. Other weights of a test, by `turn`: difficulty w_j, failure-rate
(1 - rho_j)^alpha as a share of all tests, pass-rate 1 / m, none.
"""

from math import exp
from typing import Annotated, Literal

from turnwise_rl import Profile, Range, broadcast, normalize, passed_tests, std, total, trajectories

REWARDS = "outcome"


def credit(
    group,
    alpha: Annotated[float, Range(0, 10, "Decrease of the weight of a test with the share of turns that pass it.")] = 2.0,
    bandwidth: Annotated[float, Range(0, 1, "sigma; 0: half the deviation of the pass rates.")] = 0.0,
    decay: Annotated[float, Range(0, 1, "Factor on the reward for a solved task for each turn after the first.")] = 0.95,
    beta: Annotated[float, Range(0, 5, "Weight of the turn rewards. The trajectory reward has weight 1.")] = 1.0,
    turn: Literal["difficulty-density", "difficulty", "failure-rate", "pass-rate", "none"] = "difficulty-density",
    trajectory: bool = True,
    norm: Literal["centre", "std"] = "centre",
    profile: Profile = "turnwise",
):
    paths, passed = trajectories(group), passed_tests(group)
    rho = [sum(results) / len(passed) for results in zip(*passed)]
    sigma = max(bandwidth if bandwidth > 0 else std(rho) / 2, 1e-3)

    def density(rate):
        return total(exp(-((rate - rho_k) * (rate - rho_k)) / (2 * sigma * sigma)) for rho_k in rho) + 1e-6

    failures = total((1 - rate) ** alpha for rate in rho)
    weight_of = {
        "difficulty-density": lambda rate: exp(-alpha * rate) / density(rate),
        "difficulty": lambda rate: exp(-alpha * rate),
        "failure-rate": lambda rate: (1 - rate) ** alpha / failures if failures > 0 else 1 / len(rho),
        "pass-rate": lambda rate: 1 / len(rho),
        "none": lambda rate: 0.0,
    }
    weights = [weight_of[turn](rate) for rate in rho]
    R_turn = [total(bit * weight for bit, weight in zip(results, weights)) for results in passed]
    R = [decay ** (len(path) - 1) if all(passed[path[-1]]) else 0.0 for path in paths]

    selected = profile if norm == "std" else "dr-grpo"
    A_turn, A_traj = normalize(R_turn, selected), broadcast(group, paths, normalize(R, selected))
    advantage = [(a if trajectory else 0.0) + beta * b for a, b in zip(A_traj, A_turn)]
    named = {"passRate": rho, "weights": weights, "bandwidth": sigma, "turnReward": R_turn}
    named |= {"trajectoryReward": broadcast(group, paths, R), "turnAdvantage": A_turn, "trajectoryAdvantage": A_traj}
    return advantage, named
