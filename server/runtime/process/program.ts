import {spawn} from "node:child_process"
import {ownModule} from "../own-files.ts"
import {readingOutput} from "./child-output.ts"

const module = ownModule("server/runtime/process/program-child.ts")

export interface ProgramOptions {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** In milliseconds. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Hears what it prints, both streams. */
  readonly onText: (text: string) => void
}

export interface ProgramEnd {
  /** 127 where it could not be started. */
  readonly code: number | null
  readonly isTooLate: boolean
}

/**
 * Runs somebody else's program to its end; at the limit, at the signal, and when this process dies, however it dies, it is
 * ended with everything that it has started in its process group.
 */
export const runProgram = async (
  command: readonly string[],
  {folder, environment, limit, signal, onText}: ProgramOptions,
): Promise<ProgramEnd> => {
  // In the root folder, so that Bun reads no settings of the project for a process that is not the project's.
  const child = spawn(process.execPath, [module, folder, ...command], {cwd: "/", stdio: "pipe", env: environment})
  const end = () => void child.stdin.end()
  let isTooLate = false
  const timer = setTimeout(() => {
    isTooLate = true
    end()
  }, limit)
  signal.addEventListener("abort", end, {once: true})
  child.stdin.on("error", () => {})
  const outputRead = readingOutput(child)
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onText)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject)
      child.on("exit", resolve)
      if (signal.aborted) end()
    })
    await outputRead()
    return {code, isTooLate}
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", end)
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
  }
}
