/**
 * Returns the command that removes a reason for the pause of ingress. The Host itself removes those of a full disk and
 * of a lost database; then it returns the command that shows them.
 */
export const resumeCommand = (reasons: readonly string[]): string => {
  if (reasons.includes("release")) return "svc ingress resume --reason release"
  return reasons.length === 0 || reasons.includes("operator") ? "svc ingress resume" : "svc ingress status"
}
