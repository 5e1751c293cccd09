import {partyOf} from "../host/party.ts"

const key = "svc.console.actor"

/** The actor of the operator's commands on work items; kept in this tab. Empty for no name. */
export class Actor {
  text = $state(sessionStorage.getItem(key) ?? "")

  /** The actor as a command names it. */
  get party(): string | undefined {
    return partyOf(this.text)
  }

  set(text: string): void {
    this.text = text
    if (text.trim() === "") sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
}
