// Part of the losses: estimator k3 of a KL divergence from one sampled token (Schulman 2020), exp(x) - x - 1 for a
// log-ratio x. Near 0, k3 is about x^2 / 2; a series retains the digits that the difference loses.

fn k3(x: f32) -> f32 {
  return select(exp(x) - x - 1.0, x * x * (0.5 + x * (1.0 / 6.0 + x / 24.0)), abs(x) < 0.02);
}
