import {type ChildProcess, spawn} from "node:child_process"
import {randomBytes} from "node:crypto"
import {once} from "node:events"
import {readFile, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {fromJson, toJson} from "../../../shared/json.ts"
import {readText} from "../../../shared/sdk/adapter/answer.ts"
import {packageRoot} from "../../runtime/own-files.ts"
import {apiBy, askFor, askHost, until} from "../asking.ts"

/** How much of a Host's latest output a failure shows, in characters. */
const shownOutput = 4000

/** How long a Host may take to start, in milliseconds. */
const startLimit = 60_000

export interface HostOptions {
  /** An existing folder. A second Host there continues with the first one's data. */
  readonly folder: string
  /** The content of `svc.config.yml`, without `http`. */
  readonly config: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string>>
}

/** A real Host in a separate process, which can be killed. */
export class HostUnderTest {
  readonly url: string
  readonly token: string
  readonly #folder: string
  readonly #child: ChildProcess
  readonly #output: () => string

  private constructor(folder: string, url: string, token: string, child: ChildProcess, output: () => string) {
    this.#folder = folder
    this.url = url
    this.token = token
    this.#child = child
    this.#output = output
  }

  /** Starts a Host on the runtime that runs the test. Resolves once the Host is ready. */
  static async start({folder, config, env}: HostOptions): Promise<HostUnderTest> {
    const token = randomBytes(24).toString("hex")
    await writeFile(join(folder, "package.json"), toJson({name: "adapter-under-test", private: true, type: "module"}))
    await configure(folder, config)
    const child = spawn(process.execPath, [join(packageRoot, "cli/launch.js"), "runtime", "start", "--no-watch"], {
      cwd: folder,
      env: {...process.env, ...env, SVC_TEST_TOKEN: token},
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", chunk => {
        output = (output + chunk).slice(-shownOutput)
      })
    const url = await until("the Host to serve", startLimit, async () => {
      if (child.exitCode !== null) throw new Error(`the Host did not start:\n${output}`)
      return readUrl(folder, child.pid)
    })
    return new HostUnderTest(folder, url, token, child, () => output)
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async reconfigure(config: HostOptions["config"]): Promise<void> {
    await configure(this.#folder, config)
    await this.api.post("/api/system/reload")
  }

  /** The Host's API. Throws a response that is not 2xx. */
  readonly api = apiBy((path, body) =>
    askFor(this, path, body).catch(error => {
      throw new Error(`${error.message}\n${this.#output()}`)
    }),
  )

  /** Resolves to its resident memory, in bytes. */
  async memory(): Promise<number> {
    const page = await readText(await askHost(this, "/api/metrics"))
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(page)?.[1])
  }

  /** Stops the Host with SIGTERM, for up to ten seconds. Resolves to its exit code; null if it had to be killed. */
  async stop(): Promise<number | null> {
    if (!this.isRunning) return this.#child.exitCode
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGTERM")
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 10_000)
    await ended
    clearTimeout(late)
    return this.#child.exitCode
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGKILL")
    await ended
  }
}

/** Writes `svc.config.yml`; JSON is YAML. */
const configure = (folder: string, config: HostOptions["config"]): Promise<void> => {
  const http = {host: "127.0.0.1", port: 0, token: "${SVC_TEST_TOKEN}"}
  return writeFile(join(folder, "svc.config.yml"), toJson({http, ...config}))
}

const readUrl = async (folder: string, pid: number | undefined): Promise<string | undefined> => {
  try {
    const file = fromJson(await readFile(join(folder, ".svc/host.json"), "utf8")) as {url: string; pid: number}
    return file.pid === pid ? file.url : undefined
  } catch {
    return undefined
  }
}
