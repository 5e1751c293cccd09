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
  /** Receives the output of both streams. */
  readonly onText: (text: string) => void
}

export interface ProgramEnd {
  /** 127 if the program did not start. */
  readonly code: number | null
  readonly isTooLate: boolean
}

/**
 * Runs an external program to its end. Ends it, with every process that it started in its process group, at the limit,
 * at the signal, and when this process dies in any way.
 */
export const runProgram = async (
  command: readonly string[],
  {folder, environment, limit, signal, onText}: ProgramOptions,
): Promise<ProgramEnd> => {
  // Starts in the root folder, so that Bun applies no settings of the project to this helper process.
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
