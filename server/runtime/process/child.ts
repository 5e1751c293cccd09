import {spawn} from "node:child_process"

export interface ChildResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A module of this program in a separate process. */
export interface Child {
  /** Resolves when the child prints exactly this line; rejects if it ends first. Call it before the next turn. */
  heard(line: string): Promise<void>
  /** Writes one line to the standard input of the child. */
  say(line: string): void
  /** Rejects only if the child did not start, or if the signal ended it. */
  readonly ended: Promise<ChildResult>
}

/**
 * Starts a module of this program under the same runtime. The child's environment is only PATH: secrets reach it
 * through its standard input, where no other process can read them. `onLine` receives each line that it prints.
 */
export const startChild = (
  module: string,
  args: readonly string[],
  signal?: AbortSignal,
  onLine: (line: string) => void = () => {},
): Child => {
  const child = spawn(process.execPath, [module, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {PATH: process.env.PATH ?? ""},
    ...(signal === undefined ? {} : {signal}),
  })
  const awaited = new Map<string, () => void>()
  let stdout = ""
  let stderr = ""
  let told = 0
  child.stdin.on("error", () => {})
  child.stdout.setEncoding("utf8").on("data", chunk => {
    stdout += chunk
    for (let end = stdout.indexOf("\n", told); end >= 0; end = stdout.indexOf("\n", told)) {
      const line = stdout.slice(told, end)
      told = end + 1
      awaited.get(line)?.()
      onLine(line)
    }
  })
  child.stderr.setEncoding("utf8").on("data", chunk => {
    stderr += chunk
  })
  const ended = new Promise<ChildResult>((done, fail) => {
    let failure: Error | undefined
    child.on("error", error => {
      failure = error
      if (child.pid === undefined) fail(error)
    })
    // A child that the signal ends has really ended only now, and writes nothing more.
    child.on("close", code => (failure === undefined ? done({code, stdout, stderr}) : fail(failure)))
  })
  const endedWithout = async (line: string) => {
    await ended
    throw new Error(`the child process ended without "${line}": ${stdout}${stderr}`.slice(0, 500))
  }
  return {
    heard: line => Promise.race([new Promise<void>(resolve => awaited.set(line, resolve)), endedWithout(line)]),
    say: line => void child.stdin.write(`${line}\n`),
    ended,
  }
}
