import {randomUUID} from "node:crypto"
import {type AdapterFinding, type CheckTools, isRefusal} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {close, connected, createClient} from "./connect.ts"
import {subscribeTo} from "./session.ts"

/**
 * Connects under a separate client id and without a session, so that the endpoint's session stays. Checks whether the
 * broker accepts credentials and subscriptions. Only publishing would show whether the bot may publish.
 */
export const check = async (account: AccountSettings, tools: CheckTools): Promise<readonly AdapterFinding[]> => {
  const clientId = `${account.clientId}-check-${randomUUID().slice(0, 8)}`
  const client = await createClient(account, tools, {clientId, clean: true})
  try {
    const found = await find("credentials", async () => {
      const {properties} = await connected(client, account, tools.signal)
      return `connected as ${clientId}; the largest packet is ${properties?.maximumPacketSize ?? "not limited"}`
    })
    if (!found.ok) return [found]
    const findings = [found]
    for (const subscription of account.subscribe ?? [])
      findings.push(
        await find(`subscription ${subscription.topic}`, async () => {
          await subscribeTo(client, {...subscription, retained: false}, account)
          return "granted"
        }),
      )
    return findings
  } finally {
    await close(client)
  }
}

/** Returns a refusal as a finding. Rethrows any other error. */
const find = async (what: string, ask: () => Promise<string>): Promise<AdapterFinding> => {
  try {
    return {what, ok: true, detail: await ask()}
  } catch (error) {
    if (!isRefusal(error)) throw error
    return {what, ok: false, detail: error.message, remediation: error.remediation}
  }
}
