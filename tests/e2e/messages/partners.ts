import {setTimeout as sleep} from "node:timers/promises"
import type {TestHost} from "../../support/host/host.ts"
import {deliver} from "../../support/webhooks/webhooks.ts"

export interface Partners {
  /** The ids that a 2xx was answered for. */
  readonly acknowledged: ReadonlySet<string>
  /** Where they post to from now on; undefined while the Host is away. */
  aim(host: TestHost | undefined): void
  stop(): Promise<void>
}

/** Partners that post signed webhooks all the time, and deliver each again, under its id, until it is acknowledged. */
export const startPartners = (count: number, secret: string): Partners => {
  const acknowledged = new Set<string>()
  let hook: string | undefined
  let stopped = false
  const post = async (id: string, channel: string): Promise<boolean> => {
    if (hook === undefined) return false
    const body = JSON.stringify({text: id, channel})
    const response = await deliver(hook, body, {id, secret}).catch(() => undefined)
    if (response?.ok !== true) return false
    acknowledged.add(id)
    return true
  }
  const partner = async (name: string) => {
    for (let n = 0; !stopped; n++) {
      while (!stopped && !(await post(`${name}.${n}`, name))) await sleep(5)
      await sleep(25)
    }
  }
  const running = Promise.all(Array.from({length: count}, (_, n) => partner(`partner${n}`)))
  return {
    acknowledged,
    aim: host => {
      hook = host === undefined ? undefined : `${host.url}/hooks/webhook/webhook~shop`
    },
    stop: async () => {
      stopped = true
      await running
    },
  }
}
