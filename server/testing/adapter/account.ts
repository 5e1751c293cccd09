import assert from "node:assert/strict"
import {setTimeout as sleep} from "node:timers/promises"
import {fromJson} from "../../../shared/json.ts"
import {readText} from "../../../shared/sdk/adapter/answer.ts"
import {askHost} from "../asking.ts"
import type {Check} from "./check.ts"
import type {HostUnderTest} from "./host-under-test.ts"
import type {Trial} from "./trial.ts"

/** How long a refused account is watched, in milliseconds: longer than the first pauses between connections. */
const watched = 3000

export const refusesCredentials: Check = async trial => {
  const {platform} = trial
  if (platform.refused === undefined) return "there are no credentials to refuse: set platform.refused"
  const host = await trial.start(platform.refused)
  const failed = await trial.untilState(host, "failed")
  assert.ok(failed.remediation, "a refused account has a remediation: throw refused(…) from open")
  await sleep(watched)
  assert.equal((await trial.read(host)).state, "failed", "the Host does not retry a refused account")
  const left = await platform.connections?.()
  assert.equal(left ?? 0, 0, "a refused account leaves no connection open")
  return undefined
}

interface Checked {
  readonly ok: boolean
  readonly findings: readonly {readonly what: string; readonly ok: boolean; readonly remediation?: string}[]
}

export const judgesAccounts: Check = async trial => {
  const {platform} = trial
  const host = await trial.connect()
  const good = await check(trial, host)
  if (good === undefined) return "the adapter has no check"
  assert.deepEqual(
    good.findings.filter(({ok}) => !ok),
    [],
    "the check finds nothing wrong with the platform's account",
  )
  assert.equal((await trial.read(host)).state, "online", "the check does not disturb the connection")
  if (platform.refused === undefined) return undefined
  const refused = await trial.start(platform.refused)
  const bad = await check(trial, refused)
  assert.equal(bad?.ok, false, "the check finds what the platform refuses")
  for (const {what, ok, remediation} of bad?.findings ?? [])
    assert.ok(ok || remediation, `a finding that is not ok has a remediation: ${what}`)
  return undefined
}

/** Undefined for an adapter without a check. */
const check = async ({endpoint}: Trial, host: HostUnderTest): Promise<Checked | undefined> => {
  const answer = await askHost(host, `/api/endpoints/${encodeURIComponent(endpoint)}/check`, {})
  if (answer.status === 422) return undefined
  const text = await readText(answer)
  assert.ok(answer.ok, `the Host answered the check with ${answer.status}: ${text}`)
  return fromJson(text) as Checked
}
