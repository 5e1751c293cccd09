import {expect, test} from "vitest"
import {judgeEndpoints, judgeHost} from "../../../shared/api/incident.ts"
import type {View} from "../../../shared/api/incident-views.ts"

type Status = View<"status">
type Release = View<"releases">["items"][number]

const status: Status = {
  project: "bot",
  version: "0.1.0",
  build: {id: "new"},
  runtimeId: "run",
  authority: "authority",
  mode: "production",
  startedAt: "2027-03-01T10:00:00.000Z",
  restarts: 1,
  generation: {number: 2},
  ingress: {state: "open", reasons: []},
}

/** The API lists the newest beginning first. */
const release = (id: number, state: string, build: string | null, end = id): Release => ({
  id: String(id),
  state,
  endedAt: state === "begun" ? null : new Date(end).toISOString(),
  build,
})
const whole = release(2, "complete", "new")
const old = release(1, "complete", "old")

test.each<[answer: string, what: string, releases: Release[], of?: string | undefined, mode?: string]>([
  ["yes", "no release", []],
  ["yes", "the build of the last release", [release(3, "aborted", null), whole, old], "2"],
  ["yes", "the build in its observation window", [{...whole, state: "observing"}, old], "2"],
  ["no", "another build than that of the last release", [release(3, "complete", "newer"), whole], "3"],
  ["yes", "a release under way", [release(3, "begun", null), old], "3"],
  ["no", "the build that was rolled back", [{...whole, state: "rolled_back"}, old], "2"],
  ["yes", "what ran before it", [release(3, "rolled_back", "newer"), whole], "3"],
  ["yes", "what ran before an older one", [release(3, "complete", "newer"), release(2, "rolled_back", "old", 4)], "2"],
  ["yes", "a checkpoint between releases", [release(4, "rolled_back", null), release(3, "complete", "newer")], "4"],
  ["yes", "a release whose build was not recorded", [release(1, "complete", null)]],
  ["yes", "changed plugins in development", [old], undefined, "development"],
])("question 2 says %s of %s, without an option", (answer, _, releases, of, mode = "production") => {
  const judgement = judgeHost({...status, mode}, {}, releases)
  expect(judgement.answer).toBe(answer)
  expect(/release (\d+)/.exec(judgement.evidence.join("\n"))?.[1]).toBe(of)
})

type Endpoint = View<"endpoints">["items"][number]

const now = Date.parse("2027-03-01T12:00:00.000Z")
const before = (seconds: number) => new Date(now - seconds * 1000).toISOString()
const online: Endpoint = {
  name: "line",
  state: "online",
  since: before(60),
  admission: "open",
  lastEventAt: before(12),
  lastSentAt: before(9),
}
const open = status.ingress
const paused = {state: "paused", reasons: ["operator"]}
/** What the endpoint says while ingress is paused, or was when it was read. */
const shut = {...online, admission: "closed", reason: "ingress_paused"}

test.each<[string, Endpoint, Status["ingress"], answer: string, words: RegExp, never: RegExp]>([
  ["a connected endpoint", online, open, "yes", /^line: online for 60 s, .* 12 s ago, .* 9 s ago\n.*\bopen$/, /closed/],
  ["paused ingress", shut, paused, "no", /^line: online.*\n.*\bpaused: operator$/, /open|closed|ingress_/],
  ["ingress that opened between two answers", shut, open, "yes", /\n.*\bopen$/, /paused|closed/],
  ["ingress that was paused between two answers", online, paused, "no", /\bpaused: operator$/, /open|closed/],
  [
    "an endpoint that lost its connection long ago",
    {...online, state: "reconnecting", awaySince: before(7200), required: true},
    open,
    "no",
    /^line: reconnecting for 2 h, required, /,
    /60 s|closed|admi/,
  ],
  [
    "a failed endpoint",
    {...online, state: "failed", admission: "closed", reason: "refused", lastEventAt: null},
    open,
    "no",
    /^line: failed .*\(refused\), no event /,
    /12 s/,
  ],
])("question 3 has each fact once: %s", (_, endpoint, ingress, answer, words, never) => {
  const judgement = judgeEndpoints([endpoint], ingress, now, 900_000)
  const said = judgement.evidence.join("\n")
  expect(said).toMatch(words)
  expect(said).not.toMatch(never)
  expect([judgement.answer, said.match(/ingress/g)?.length]).toEqual([answer, 1])
})
