import {type ChildProcess, spawn} from "node:child_process"

/** The processes that this run has started and that are still running. */
const running = new Map<ChildProcess, NodeJS.Signals>()

process.on("exit", () => {
  for (const [child, signal] of running) child.kill(signal)
})

export interface Running {
  readonly pid: number
  /** The output so far, of both streams. */
  output(): string
  /** The exit code; null if a signal ended the process. */
  readonly ended: Promise<number | null>
  /** Sends SIGTERM, and SIGKILL if the process does not end within twelve seconds. */
  stop(): Promise<void>
}

export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The signal at the end of this run: SIGTERM for a process that must end its own children. */
  readonly endsBy?: "SIGTERM" | "SIGKILL"
}

/** Starts a process whose environment has only PATH and HOME of this one. It does not outlive this run. */
export const startProcess = ([command = "", ...args]: readonly string[], options: StartOptions = {}): Running => {
  const {PATH = "", HOME = "/"} = process.env
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {PATH, HOME, ...options.env},
    ...(options.cwd === undefined ? {} : {cwd: options.cwd}),
  })
  running.set(child, options.endsBy ?? "SIGKILL")
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", chunk => {
      output += chunk
    })
  }
  const ended = new Promise<number | null>((done, fail) => {
    child.on("error", fail)
    child.on("close", code => {
      running.delete(child)
      done(code)
    })
  })
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      const cut = setTimeout(() => child.kill("SIGKILL"), 12_000)
      await ended
      clearTimeout(cut)
    },
  }
}

/** Runs a process to its end; resolves to its output. Throws if the exit code is not 0. */
export const runProcess = async (command: readonly string[], options: StartOptions = {}): Promise<string> => {
  const child = startProcess(command, options)
  const code = await child.ended
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${child.output()}`)
  return child.output()
}

/** Runs a script that prints one JSON value as its last line. */
export const runScript = async <T>(command: readonly string[], options: StartOptions = {}): Promise<T> =>
  JSON.parse((await runProcess(command, options)).trim().split("\n").at(-1) ?? "") as T
