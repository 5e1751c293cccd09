import {setTimeout as sleep} from "node:timers/promises"
import {documentedParts} from "../../../support/docs/documented-parts.ts"
import {type Finished, until} from "../../../support/host/process.ts"
import type {Docker} from "./dockerd.ts"

export interface Composition {
  readonly folder: string
  /** Runs a shell line in the project's folder and the engine's network. */
  run(line: string): Promise<Finished>
  /** Returns the output of a line. Throws if the line fails. */
  must(line: string): Promise<string>
  inside(line: string): Promise<Finished>
  /** Returns Docker's description of the container, by a Go template. */
  inspect(format: string): Promise<string>
  /** Returns the exit codes of its containers since that time, oldest first. */
  exitCodes(since: number): Promise<readonly number[]>
  /** Waits until it is ready, as a process other than `before` if that is given. */
  untilReady(before?: string): Promise<string>
}

export const openComposition = (folder: string, path: string, docker: Docker): Composition => {
  const run = (line: string) => docker.run(["sh", "-c", line], {cwd: folder, env: {PATH: path}})
  const must = async (line: string) => {
    const {code, signal, stdout, stderr} = await run(line)
    if (code !== 0) throw new Error(`${line}: ${code ?? signal}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`)
    return stdout
  }
  const inspect = async (format: string) => {
    const id = (await must("docker compose ps --all --quiet bot")).trim()
    return (await docker.docker(["inspect", "--format", format, id])).trim()
  }
  const untilReady = (before = "") =>
    until("the container to be ready", async () => {
      const {code} = await run("curl --silent --fail --max-time 2 http://127.0.0.1:8068/pub/ready")
      if (code !== 0) {
        // Docker waits longer before each restart. Polling without a pause would take a processor from it.
        await sleep(500)
        return false
      }
      const {stdout} = await run("docker compose exec -T bot cat .svc/holder.json")
      const holder = /"runtimeId":"([^"]+)"/.exec(stdout)?.[1] ?? before
      return holder !== before && holder
    })
  const exitCodes = async (since: number) => {
    const range = ["--since", `${since / 1000}`, "--until", `${Date.now() / 1000}`]
    const filters = ["--filter", "event=die", "--filter", "label=com.docker.compose.service=bot"]
    return (await docker.docker(["events", ...range, ...filters, "--format", "{{.Actor.Attributes.exitCode}}"]))
      .split("\n")
      .filter(line => line !== "")
      .map(Number)
  }
  const inside = (line: string) =>
    docker.run(["docker", "compose", "exec", "-T", "bot", "sh", "-c", line], {cwd: folder})
  return {folder, run, must, inside, inspect, exitCodes, untilReady}
}

/** The commands of a page, with a record of those that were run. */
export const commandsOf = (page: string) => {
  const lines = documentedParts.filter(part => part.page === page).flatMap(({commands}) => commands)
  const left = new Set(lines)
  return {
    /** Returns the line. Throws if the page does not contain it. */
    asWritten: (line: string): string => {
      if (!lines.includes(line)) throw new Error(`${page} does not say: ${line}`)
      left.delete(line)
      return line
    },
    notRun: (): readonly string[] => [...left],
  }
}
