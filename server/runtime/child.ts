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
    let failure: Error | undefined
    child.on("error", error => {
      failure = error
      if (child.pid === undefined) fail(error)
    })
    // One that the signal ends has ended only now, and writes nothing more.
    child.on("close", code => (failure === undefined ? done({code, stdout, stderr}) : fail(failure)))
  })
