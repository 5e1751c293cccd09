import type {Finding} from "../../server/doctor/finding.ts"

const marks: Record<Finding["level"], string> = {ok: "ok     ", warning: "warning", error: "ERROR  "}

export const describeFinding = ({level, check, detail, remediation}: Finding): string => {
  const lines = [`${marks[level]} ${check}: ${detail.replaceAll("\n", "\n          ")}`]
  return [...lines, ...(remediation === undefined ? [] : [`          do: ${remediation}`])].join("\n")
}
