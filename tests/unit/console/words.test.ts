import {expect, test} from "vitest"
import {isParty, partyOf} from "../../../server/console/web/host/party.ts"
import {changeOf, clockThere, isSameClock} from "../../../server/console/web/pages/jobs/words.ts"
import {revisionOf, tellOf} from "../../../server/console/web/pages/workroom/timeline.ts"
import {en} from "../../../server/console/web/texts/en.ts"
import type {Command} from "../../../shared/api/workroom.ts"

test("a bare name is a person's, but a name with a space is not a name", () => {
  expect(["ada", " user:ada ", "agent:triage", "", "crew:ada"].map(partyOf)).toEqual([
    "user:ada",
    "user:ada",
    "agent:triage",
    undefined,
    "user:crew:ada",
  ])
  expect(["", "ada", " agent:triage ", "ada lovelace", "user:"].map(isParty)).toEqual([true, true, true, false, true])
})

test("a clock change shows the clock before and after it", () => {
  const change = (timezone: string, at: string, before: string, after: string) =>
    changeOf({timezone, at, before, after})
  expect(change("Europe/London", "2026-10-25T01:00:00.000Z", "+01:00", "+00:00")).toBe(
    en.jobs.back("Europe/London", "02:00", "01:00"),
  )
  expect(change("America/St_Johns", "2026-03-08T05:30:00.000Z", "-03:30", "-02:30")).toBe(
    en.jobs.forward("America/St_Johns", "02:00", "03:00"),
  )
  expect(change("Australia/Lord_Howe", "2026-10-03T15:30:00.000Z", "+10:30", "+11:00")).toBe(
    en.jobs.forward("Australia/Lord_Howe", "02:00", "02:30"),
  )
})

test("a job's local time includes its day if that differs from the calendar's", () => {
  expect(clockThere("2026-11-22 01:30 +00:00", "2026-11-22")).toBe("01:30 +00:00")
  expect(clockThere("2026-11-22 01:30 +00:00", "2026-11-21")).toBe("2026-11-22 01:30 +00:00")
  expect(isSameClock("1999-01-01 00:00 +00:00", "2026-11-22T01:30:00.000Z")).toBe(false)
})

test("a Journal record shows its text and the new revision", () => {
  const tell = (command: Command) => [tellOf({command}), revisionOf({command})]
  const added = {title: "t", description: "", labels: [], assignee: null, conversation: null} as const
  expect(tell({is: "add", priority: "high", ...added})).toEqual([{what: en.workroom.told.add("high")}, 1])
  expect(tell({is: "comment", text: "on its way", expectedRevision: 4})).toEqual([
    {what: "commented", words: "on its way"},
    5,
  ])
  expect(tell({is: "cancel", reason: null, expectedRevision: 1})).toEqual([{what: "cancelled it"}, 2])
  const blocked = tell({is: "block", reason: "ink", owner: "user:ada", deadline: null, expectedRevision: 2})
  expect(blocked).toEqual([{what: `${en.workroom.told.block}; ${en.workroom.told.owner("user:ada")}`, words: "ink"}, 3])
})
