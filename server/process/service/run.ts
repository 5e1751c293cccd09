import {execFile} from "node:child_process"
import {messageOf, Problem} from "../../../shared/problems.ts"

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the service manager. Throws `service_failed` if the program is missing. */
export const run = (command: string, args: readonly string[]): Promise<Ran> =>
  new Promise((resolve, reject) => {
    execFile(command, [...args], {encoding: "utf8"}, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") {
        reject(new Problem("service_failed", `cannot run ${command}: ${messageOf(error)}`, {cause: error}))
      } else resolve({code: typeof error?.code === "number" ? error.code : 0, stdout, stderr})
    })
  })

/** Runs a program that must exit with 0. Throws `service_failed` with its output. */
export const mustRun = async (command: string, args: readonly string[]): Promise<string> => {
  const {code, stdout, stderr} = await run(command, args)
  if (code === 0) return stdout
  const said = stderr.trim() || stdout.trim() || `exit code ${code}`
  throw new Problem("service_failed", `${command} ${args.join(" ")}: ${said}`)
}
