import {existsSync} from "node:fs"
import {resolve} from "node:path"
import {Command, Option} from "clipanion"
import {projectPaths} from "../../server/runtime/project.ts"
import type {Client} from "../../shared/api/operations/client.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {formatIssue, Problem} from "../../shared/problems.ts"
import {shown} from "../../shared/shown.ts"
import {connectHost} from "./host-client.ts"

/** The base of all commands: the project, and the output of errors. */
export abstract class SvcCommand extends Command {
  project = Option.String("--project", process.env.SVC_PROJECT ?? ".", {
    description: "The project's folder (default: this folder)",
  })

  /** Resolves to whether it succeeded, nothing for yes, or to an exit code. An error goes to stderr, with code 1. */
  abstract run(): Promise<boolean> | Promise<ExitCode> | Promise<void>

  async execute(): Promise<number> {
    try {
      await this.#finishRestore()
      const ended = (await this.run()) ?? true
      return typeof ended === "number" ? ended : ended ? exit.ok : exit.failed
    } catch (error) {
      this.tell(this.describe(error))
      return exit.failed
    }
  }

  /** Completes or undoes an interrupted restore or install before the command runs. */
  async #finishRestore(): Promise<void> {
    const paths = projectPaths(this.folder)
    if (!existsSync(paths.restore) && !existsSync(paths.install)) return
    const {finishUnlessHeld} = await import("../../server/project/held.ts")
    for (const done of await finishUnlessHeld(paths)) this.tell(`svc: ${done}`)
  }

  get folder(): string {
    return resolve(this.project)
  }

  /** Asks the running Host. Throws the Host's problem, and `host_unreachable`. */
  get: Client<never>["get"] = async (path, ...input) => (await connectHost(this.folder)).get(path, ...input)

  /** The same as `get`, for a change. */
  post: Client<never>["post"] = async (path, ...input) => (await connectHost(this.folder)).post(path, ...input)

  /** Prints a text of any origin. The terminal shows its control characters instead of obeying them. */
  print(text: string): void {
    this.context.stdout.write(`${shown(text)}\n`)
  }

  /** Prints a text with svc's colours. The caller must pass its parts through `shown` before painting them. */
  printPainted(text: string): void {
    this.context.stdout.write(`${text}\n`)
  }

  /** The same as `print`, on stderr. */
  tell(text: string): void {
    this.context.stderr.write(`${shown(text)}\n`)
  }

  /** Describes an error: what happened, where, and the next step. Only a fault in svc shows a stack. */
  describe(error: unknown): string {
    if (!(error instanceof Problem))
      return `svc: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
    return describeProblem(error)
  }
}

/** The base of the commands that can print JSON. */
export abstract class DataCommand extends SvcCommand {
  json = Option.Boolean("--json", false, {description: "Print JSON"})

  /** Prints the data as JSON with `--json`, otherwise the text. */
  show<T>(data: T, text: (data: T) => string): void {
    this.print(this.json ? JSON.stringify(data, undefined, 2) : text(data))
  }

  override describe(error: unknown): string {
    return this.json && error instanceof Problem ? JSON.stringify(error.body()) : super.describe(error)
  }
}

/** Describes a problem. If the hint refers to `detail`, the output labels it, as the answers of the API do. */
export const describeProblem = (problem: Problem): string =>
  [
    ...(/\bdetail\b/.test(problem.hint)
      ? [`svc: ${startSmall(problem.title)}`, `  detail: ${problem.message}`]
      : [`svc: ${problem.message}`]),
    ...problem.issues.map(issue => `  ${formatIssue(issue)}`),
    `  hint: ${problem.hint}`,
  ].join("\n")

const startSmall = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
