import {createContext} from "svelte"
import {HostClient} from "../host/client.ts"
import type {Known} from "../host/incident.ts"
import type {Account} from "./accounts.svelte.ts"
import {Clock} from "./clock.svelte.ts"
import {Live} from "./live.svelte.ts"
import {Notices} from "./notices.svelte.ts"

/** One Host that is signed in to: what every page needs. */
export class Session {
  readonly account: Account
  readonly client: HostClient
  readonly live = new Live()
  readonly clock = new Clock()
  readonly notices: Notices
  /** The newest that was heard of the Host, for when it answers no more. */
  known: Known | undefined

  constructor(account: Account) {
    this.account = account
    this.client = new HostClient(account.url, account.token)
    this.notices = new Notices(this.live)
  }

  /** False for a demo token: nothing is offered that it cannot do. */
  get canAct(): boolean {
    return this.account.scope === "full"
  }
}

export const [getSession, setSession] = createContext<Session>()
