import {createContext} from "svelte"
import {HostClient} from "../host/client.ts"
import type {Known} from "../host/incident.ts"
import type {Account} from "./accounts.svelte.ts"
import {Clock} from "./clock.svelte.ts"
import {Live} from "./live.svelte.ts"
import {Notices} from "./notices.svelte.ts"

/** One signed-in Host: everything that a page needs. */
export class Session {
  readonly account: Account
  readonly client: HostClient
  readonly live = new Live()
  readonly clock = new Clock()
  readonly notices: Notices
  /** The last known state of the Host, for the time when it does not answer. */
  known: Known | undefined

  constructor(account: Account) {
    this.account = account
    this.client = new HostClient(account.url, account.token)
    this.notices = new Notices(this.live)
  }

  /** False for a demo token: the console then offers no actions. */
  get canAct(): boolean {
    return this.account.scope === "full"
  }
}

export const [getSession, setSession] = createContext<Session>()
