import {spawn} from "node:child_process"

export interface ChildResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a module of this program in a process of its own, under the same runtime, and collects what it prints. The
 * child gets no environment but PATH: it needs no secret. Rejects only when it cannot be started.
 */
export const runChild = (module: string, args: readonly string[], signal?: AbortSignal): Promise<ChildResult> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, [module, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {PATH: process.env.PATH ?? ""},
      ...(signal === undefined ? {} : {signal}),
    })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", chunk => {
      stdout += chunk
    })
    child.stderr.on("data", chunk => {
      stderr += chunk
    })
    child.on("error", fail)
    child.on("close", code => done({code, stdout, stderr}))
  })
