import {partyOf} from "../host/party.ts"

const key = "svc.console.actor"

/** Under which name the operator gives commands about work items; kept in this tab. Empty where nobody is named. */
export class Actor {
  text = $state(sessionStorage.getItem(key) ?? "")

  /** As a command names it. */
  get party(): string | undefined {
    return partyOf(this.text)
  }

  set(text: string): void {
    this.text = text
    if (text.trim() === "") sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
}
