import {setTimeout as sleep} from "node:timers/promises"
import type {TestHost} from "../../support/host/host.ts"
import {deliver} from "../../support/webhooks/webhooks.ts"

export interface Partners {
  /** The ids that the Host has acknowledged with a 2xx. */
  readonly acknowledged: ReadonlySet<string>
  /** Sets the Host to which they post. Undefined while it is offline. */
  aim(host: TestHost | undefined): void
  stop(): Promise<void>
}

/** Partners that keep posting signed webhooks. They repeat each one under its id until the Host acknowledges it. */
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
