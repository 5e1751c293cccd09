import {type Finished, runProcess} from "../../support/host/process.ts"

type Variables = Readonly<Record<string, string>>

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Variables
}

export interface Workflow {
  readonly env?: Variables
  readonly jobs: Readonly<Record<string, {readonly needs?: string; readonly steps: readonly Step[]}>>
}

/** The commands of a job, as they are written. */
export const commandsOf = ({jobs}: Workflow, job: string): readonly string[] =>
  (jobs[job]?.steps ?? []).flatMap(({run}) => (run === undefined ? [] : [run]))

export interface RunOptions {
  readonly cwd: string
  readonly env: Variables
  /** Values of expressions, by the text between `${{` and `}}`. */
  readonly values?: Variables
}

/** Runs a job's `run` steps in the shell of GitHub's runners until one fails. What `uses` names must be there. */
export const runJob = async (
  {env = {}, jobs}: Workflow,
  job: string,
  {cwd, env: machine, values = {}}: RunOptions,
): Promise<readonly (Finished & {readonly command: string})[]> => {
  const fill = (text: string) =>
    text.replace(/\$\{\{ *(.*?) *\}\}/g, (_, expression: string) => {
      const value = values[expression]
      if (value === undefined) throw new Error(`the test knows no ${expression}`)
      return value
    })
  const ended: (Finished & {readonly command: string})[] = []
  for (const {run, env: own = {}} of jobs[job]?.steps ?? []) {
    if (run === undefined) continue
    const filled = Object.entries({...env, ...own}).map(([name, value]) => [name, fill(value)] as const)
    const command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run]
    const finished = await runProcess(command, {cwd, env: {CI: "true", ...machine, ...Object.fromEntries(filled)}})
    ended.push({...finished, command: run})
    if (finished.code !== 0) break
  }
  return ended
}
