import {spawn} from "node:child_process"
import {basename} from "node:path"
import {messageOf, Problem} from "../../shared/problems.ts"

/** How many lines of a failed program's output the problem contains. */
const toldLines = 15

export interface ProgramOptions {
  readonly cwd: string
  /** The operator's step after a failure. */
  readonly hint: string
}

/** Runs a program without input. Resolves to its output. Throws `conflict` with the end of its output. */
export const runProgram = (
  [command, ...args]: readonly [string, ...string[]],
  {cwd, hint}: ProgramOptions,
): Promise<string> =>
  new Promise((done, fail) => {
    const child = spawn(command, args, {cwd, stdio: ["ignore", "pipe", "pipe"]})
    let output = ""
    let stdout = ""
    child.stdout.setEncoding("utf8").on("data", chunk => {
      output += chunk
      stdout += chunk
    })
    child.stderr.setEncoding("utf8").on("data", chunk => {
      output += chunk
    })
    const problem = (why: string, cause?: unknown) => {
      const told = output.trim().split("\n").slice(-toldLines).join("\n")
      return new Problem("conflict", `${basename(command)} ${args[0]} ${why}\n${told}`.trim(), {cause, hint})
    }
    child.on("error", cause => fail(problem(`could not be started: ${messageOf(cause)}`, cause)))
    child.on("close", code => (code === 0 ? done(stdout) : fail(problem(`exited with code ${code}`))))
  })
