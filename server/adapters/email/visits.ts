import type {ImapFlow} from "imapflow"
import type {AccountSettings} from "./account.ts"
import {createClient, type ImapLibrary, logIn} from "./mailbox.ts"

/** A connection beside the one that waits for mail, for what takes long or opens another folder. */
export interface Visit {
  readonly client: ImapFlow
  close(): void
}

/** Providers allow an account few connections: so many visits at once, the others wait. */
const most = 2

/** Opens visits, logged in and with no folder open; each ends with `signal` or with the endpoint, at the latest. */
export type Visits = (signal: AbortSignal) => Promise<Visit>

export const createVisits = (library: ImapLibrary, account: AccountSettings, closed: AbortSignal): Visits => {
  let free = most
  const waiting: (() => void)[] = []
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }
  const enter = async () => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
  }
  return async signal => {
    await enter()
    const client = createClient(library, account)
    const ended = AbortSignal.any([signal, closed])
    let isOpen = true
    const close = () => {
      if (!isOpen) return
      isOpen = false
      ended.removeEventListener("abort", close)
      client.close()
      leave()
    }
    // The users of the connection get its errors from their own requests.
    client.on("error", () => {})
    ended.addEventListener("abort", close, {once: true})
    try {
      ended.throwIfAborted()
      await logIn(client, account)
      ended.throwIfAborted()
      return {client, close}
    } catch (error) {
      close()
      throw error
    }
  }
}
