import type {ImapFlow} from "imapflow"
import type {AccountSettings} from "./account.ts"
import {createClient, type ImapLibrary, logIn} from "./mailbox.ts"

/** A second connection, beside the one that waits for mail, for long work or another folder. */
export interface Visit {
  readonly client: ImapFlow
  close(): void
}

/** Providers limit connections per account. This many visits run at once; the others wait. */
const most = 2

/** Opens visits, logged in and with no folder open. A visit ends at the latest with `signal` or with the endpoint. */
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
    // The callers get errors of the connection from their own requests.
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
