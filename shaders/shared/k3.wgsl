// Part of the losses: the estimator k3 of a KL divergence from one sampled token (Schulman 2020), exp(x) - x - 1 for a
// log-ratio x. Near 0, where it is about x^2 / 2, a series keeps the digits that the difference would lose.

fn k3(x: f32) -> f32 {
  return select(exp(x) - x - 1.0, x * x * (0.5 + x * (1.0 / 6.0 + x / 24.0)), abs(x) < 0.02);
}
