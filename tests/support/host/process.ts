import {type ChildProcess, spawn} from "node:child_process"
import {whenFailed, whenOver} from "./shared.ts"

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** What it has printed so far: its standard output, then its standard error. */
  output(): string
  /** Its standard output so far. What is read out of it line by line is read by `linesIn`: the last may be half of one. */
  stdout(): string
  readonly finished: Promise<Finished>
}

export interface SpawnOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

const {PATH = "", HOME = "/", NODE_COMPILE_CACHE} = process.env

/** The environment of a test process: nothing of the machine but its PATH, and where Node keeps what it has compiled. */
export const cleanEnvironment = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  PATH,
  HOME,
  ...(NODE_COMPILE_CACHE === undefined ? {} : {NODE_COMPILE_CACHE}),
  ...more,
})

/** Of the newest processes of a test that failed, so much of what they said is printed. */
const told = {processes: 3, characters: 4000}
let started = 0

/** Starts a process that is killed, at the latest, when the test has ended, or the last that shares it. */
export const startProcess = ([command = "", ...args]: readonly string[], options: SpawnOptions = {}): Running => {
  const child = spawn(command, args, {
    env: cleanEnvironment(options.env),
    stdio: ["pipe", "pipe", "pipe"],
    ...(options.cwd === undefined ? {} : {cwd: options.cwd}),
  })
  let stdout = ""
  let stderr = ""
  // What comes of a character whose bytes come in two chunks is that character.
  child.stdout.setEncoding("utf8").on("data", chunk => {
    stdout += chunk
  })
  child.stderr.setEncoding("utf8").on("data", chunk => {
    stderr += chunk
  })
  child.stdin.on("error", () => {})
  if (options.input !== undefined) child.stdin.write(options.input)
  child.stdin.end()
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve({code, signal, stdout, stderr}))
  })
  whenOver(async () => {
    child.kill("SIGKILL")
    await finished.catch(() => {})
  })
  const nth = ++started
  whenFailed(() =>
    nth > started - told.processes
      ? `--- ${[command, ...args].join(" ")}\n${(stdout + stderr).slice(-told.characters)}`
      : undefined,
  )
  return {child, pid: child.pid ?? 0, output: () => stdout + stderr, stdout: () => stdout, finished}
}

/** The whole lines of what a process printed, or has printed so far: one that is still being written is left out. */
export const linesIn = (output: string): readonly string[] => output.split("\n").slice(0, -1)

export const runProcess = (command: readonly string[], options: SpawnOptions = {}): Promise<Finished> =>
  startProcess(command, options).finished

/** How long until it is asked again, in milliseconds: a wait that lasts leaves the processor to what is waited for. */
const pause = (waited: number): number => Math.min(250, Math.max(10, waited / 10))

/** Waits until `holds` gives something. Rejects with `what` after so many milliseconds. */
export const until = async <T>(
  what: string,
  holds: () => T | undefined | false | Promise<T | undefined | false>,
  patience = 60_000,
): Promise<T> => {
  const began = performance.now()
  for (;;) {
    const value = await holds()
    if (value !== undefined && value !== false) return value
    const waited = performance.now() - began
    if (waited > patience) throw new Error(`not within ${patience} ms: ${what}`)
    await new Promise(resolve => setTimeout(resolve, pause(waited)))
  }
}

/** Waits until a process has printed this: what it prints arrives by itself, and may come after the answer to a request. */
export const untilPrinted = (running: Running, text: string | RegExp): Promise<unknown> =>
  until(`it to print ${text}`, () =>
    typeof text === "string" ? running.output().includes(text) : text.test(running.output()),
  ).catch(error => {
    throw new Error(`${error.message}\n${running.output().slice(-4000)}`)
  })
