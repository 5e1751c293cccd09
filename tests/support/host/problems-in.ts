import {type ProblemCode, problems} from "../../../shared/problems.ts"

const codes = Object.keys(problems) as ProblemCode[]

/**
 * Returns the codes of the problems that a command printed. A terminal shows no code, but it shows the hint of the
 * table; if the hint refers to `detail`, the title, too.
 */
export const problemsIn = (output: string): readonly ProblemCode[] => {
  const lines = output.split("\n").map(line => line.trim().toLowerCase())
  const isPrinted = (code: ProblemCode) => {
    const {title, hint} = problems[code]
    const isTitled = !/\bdetail\b/.test(hint) || lines.includes(`svc: ${title}`.toLowerCase())
    return isTitled && lines.includes(`hint: ${hint}`.toLowerCase())
  }
  return codes.filter(isPrinted)
}
