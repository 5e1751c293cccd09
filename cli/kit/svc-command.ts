import {existsSync} from "node:fs"
import {resolve} from "node:path"
import {Command, Option} from "clipanion"
import {projectPaths} from "../../server/runtime/project.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {formatIssue, Problem} from "../../shared/problems.ts"
import {shown} from "../../shared/shown.ts"

/** What all commands share: the project, and how errors are told. */
export abstract class SvcCommand extends Command {
  project = Option.String("--project", process.env.SVC_PROJECT ?? ".", {
    description: "The project's folder (default: this folder)",
  })

  /** Does the work; what it throws is told on stderr, with exit code 1. */
  abstract run(): Promise<ExitCode>

  async execute(): Promise<number> {
    try {
      await this.#settleRestore()
      return await this.run()
    } catch (error) {
      this.tell(this.describe(error))
      return exit.failed
    }
  }

  /** What a restore or an install left that was cut off is finished or taken back before anything else. */
  async #settleRestore(): Promise<void> {
    const paths = projectPaths(this.folder)
    if (!existsSync(paths.restore) && !existsSync(paths.install)) return
    const {settleUnlessHeld} = await import("../../server/project/held.ts")
    for (const done of await settleUnlessHeld(paths)) this.tell(`svc: ${done}`)
  }

  get folder(): string {
    return resolve(this.project)
  }

  /** Prints a text that may come from anywhere: the terminal shows its control characters and does not obey them. */
  print(text: string): void {
    this.context.stdout.write(`${shown(text)}\n`)
  }

  /** Prints a text with svc's own colours. What is in it must have been `shown` before it was painted. */
  printPainted(text: string): void {
    this.context.stdout.write(`${text}\n`)
  }

  /** The same as `print`, on stderr. */
  tell(text: string): void {
    this.context.stderr.write(`${shown(text)}\n`)
  }

  /** An error as people read it: what, where, what to do. Never a stack, but for a fault of svc's own. */
  describe(error: unknown): string {
    if (!(error instanceof Problem))
      return `svc: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    return describeProblem(error)
  }
}

/** Commands that can print data for programs. */
export abstract class DataCommand extends SvcCommand {
  json = Option.Boolean("--json", false, {description: "Print JSON"})

  /** Prints data as JSON with `--json`, else as text. */
  show(data: unknown, text: () => string): void {
    this.print(this.json ? JSON.stringify(data, undefined, 2) : text())
  }

  override describe(error: unknown): string {
    return this.json && error instanceof Problem ? JSON.stringify(error.body()) : super.describe(error)
  }
}

/** A problem as people read it. Where the hint speaks of `detail`, that has its name, as in the answers of the API. */
export const describeProblem = (problem: Problem): string =>
  [
    ...(/\bdetail\b/.test(problem.hint)
      ? [`svc: ${startSmall(problem.title)}`, `  detail: ${problem.message}`]
      : [`svc: ${problem.message}`]),
    ...problem.issues.map(issue => `  ${formatIssue(issue)}`),
    `  hint: ${problem.hint}`,
  ].join("\n")

const startSmall = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
