import type {SessionView} from "../../../../shared/api/system.ts"
import {HostClient} from "../host/client.ts"
import {forgetTyped} from "./typed.ts"

/** A Host with a signed-in token, and the token's permissions. */
export interface Account {
  /** Includes `http.base`, without a trailing slash. */
  readonly url: string
  readonly token: string
  readonly scope: SessionView["scope"]
  readonly project: string
}

const key = "svc.console"

/** Asks the Host for the permissions of a token. Throws `Refusal`, `Unreachable`. */
export const signIn = async (url: string, token: string): Promise<Account> => {
  const {scope, project} = await new HostClient(url, token).get("/api/session")
  return {url, token, scope, project}
}

/** The Hosts of this browser tab. Tokens are only in session storage, which ends with the tab. */
export class Accounts {
  list = $state.raw<readonly Account[]>([])
  current = $state.raw<Account>()

  constructor() {
    const {list, current} = readStored()
    this.list = list
    this.current = list.find(({url}) => url === current) ?? list[0]
  }

  /** Adds a signed-in Host and makes it the current one. */
  add(account: Account): void {
    this.list = [...this.list.filter(({url}) => url !== account.url), account]
    this.choose(account)
  }

  choose(account: Account): void {
    this.current = account
    this.#store()
  }

  /** Signs out of a Host; another signed-in Host becomes the current one. */
  remove(account: Account): void {
    forgetTyped(account.url)
    this.list = this.list.filter(({url}) => url !== account.url)
    if (this.current?.url === account.url) this.current = this.list[0]
    this.#store()
  }

  #store(): void {
    if (this.list.length === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify({list: this.list, current: this.current?.url}))
  }
}

interface Stored {
  readonly list: readonly Account[]
  readonly current?: string
}

const readStored = (): Stored => {
  try {
    const stored: Stored | null = JSON.parse(sessionStorage.getItem(key) ?? "null")
    return Array.isArray(stored?.list) ? stored : {list: []}
  } catch {
    return {list: []}
  }
}

/** Returns the address of the Host that serves this page: everything before `/console/`. */
export const ownAddress = (location: Pick<Location, "href">): string =>
  new URL("..", location.href.replace(/[?#].*$/, "")).href.replace(/\/+$/, "")

/** Returns the token in the fragment of a link, and removes it from the address and the history. */
export const takeLinkToken = (): string | undefined => {
  const token = new URLSearchParams(location.hash.slice(1)).get("token")
  if (token === null) return undefined
  history.replaceState(null, "", `${location.pathname}${location.search}#/`)
  return token
}
