import type { Evidence } from './diagnosis.ts';
import { fileFindings } from './fileFindings.ts';
import { CONFIDENCES, FINDING_KINDS, type Finding } from './finding.ts';
import { farmedComponents, rewardFindings } from './rewardFindings.ts';
import { toolFindings } from './toolFindings.ts';

/** Returns the findings in decreasing confidence. Findings of equal confidence are in the order of FINDING_KINDS. */
export function findings(evidence: Evidence): readonly Finding[] {
  const list = [
    ...fileFindings(evidence),
    ...toolFindings(evidence),
    ...farmedComponents(evidence),
    ...rewardFindings(evidence),
  ];
  const rank = ({ confidence, kind }: Finding) =>
    CONFIDENCES.indexOf(confidence) * FINDING_KINDS.length + FINDING_KINDS.indexOf(kind);
  return list.sort((a, b) => rank(a) - rank(b));
}
