import type {StatusSettings} from "../../../shared/config/config.ts"
import {toJson} from "../../../shared/json.ts"
import type {Log} from "../../../shared/log.ts"
import {createGate, type Gate} from "../../http/gate.ts"
import {startingStatus} from "../../http/public/status-board.ts"
import type {Listener, Runtime, ServeOptions} from "../../runtime/runtime.ts"
import type {Wait} from "./patience.ts"

export interface Opened {
  readonly gate: Gate
  readonly listener: Listener
}

type Address = Pick<ServeOptions, "host" | "port" | "connections"> & {
  readonly base: string
  readonly status: StatusSettings
}

/** The Host's socket, with the gate in front. It stays open while a failed start is retried: probes get answers. */
export class Entrance {
  readonly #runtime: Runtime
  readonly #log: Log
  #opened: (Opened & {readonly address: string}) | undefined
  #isKept = false

  constructor(runtime: Runtime, log: Log) {
    this.#runtime = runtime
    this.#log = log
  }

  /** Opens the socket; from now on `/pub/health` answers 200. Closes one at an earlier address. Throws `port_taken`. */
  async open({host, port, base, connections, status}: Address): Promise<Opened> {
    const address = toJson([host, port, base, connections, status])
    if (this.#opened?.address !== address) {
      await this.close()
      const gate = createGate(base, startingStatus(status), this.#log)
      const listener = await this.#runtime.serve({
        host,
        port,
        fetch: gate.fetch,
        fixed: gate.fixed,
        socket: gate.socket,
        uploads: [`${base}/satori/v1/upload.create`, `${base}/api/checkpoints/archive`],
        connections,
        refuse: gate.refuse,
      })
      this.#opened = {address, gate, listener: this.#leaving(listener)}
    }
    this.#isKept = false
    return this.#opened
  }

  /** Keeps the socket open after this attempt. The stand-in that answers without space stays while space is missing. */
  keep({waitsFor, noSpace}: Wait): void {
    this.#isKept = this.#opened !== undefined
    this.#opened?.gate.shut(waitsFor, noSpace !== undefined)
  }

  async close(): Promise<void> {
    this.#isKept = false
    await this.#opened?.listener.close(true)
  }

  #leaving(listener: Listener): Listener {
    return {
      ...listener,
      close: async force => {
        if (this.#isKept) return
        this.#opened = undefined
        await listener.close(force)
      },
    }
  }
}
