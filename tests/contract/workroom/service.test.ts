import {expect, test} from "vitest"
import {workItemsOf} from "../../../server/workroom/service.ts"
import {until} from "../../support/host/host.ts"
import {tablePlace} from "../../support/workroom/workroom.ts"

test("plugins change items once per request, get clear refusals, and hear of every change", async () => {
  const workroom = await (await tablePlace()).open()
  const [errors, heard]: [string[], string[]] = [[], []]
  const log = {error: (line: string) => void errors.push(line)} as never
  const items = workItemsOf(() => workroom, {log, defer: () => {}})
  const ada = {endpoint: "loop~one", user: "ada"}
  const stop = items.watch(({id, state}) => void heard.push(`${id} ${state}`))
  items.watch(() => Promise.reject(new Error("this watcher is broken")))
  for (let time = 0; time < 2; time++) {
    await items.add({title: "mend it"}, {request: "a"})
    await items.change(1, {is: "claim"}, {...ada, request: "b"})
    await items.change(1, {is: "block", reason: "rain", deadline: "2030-01-01T01:00:00+01:00"}, {...ada, request: "c"})
  }
  const comments = Array.from({length: 8}, (_, n) => items.change(1, {is: "comment", text: "x"}, {request: `${n}`}))
  await Promise.all(comments)
  const blocker = {reason: "rain", deadline: "2030-01-01T00:00:00.000Z"}
  expect(items.get(1)).toMatchObject({revision: 11, createdBy: "host", assignee: "user:loop~one/ada", blocker})
  await until("eleven changes", () => heard.length === 11 && errors.length === 11)
  stop()
  const refusal = (work: Promise<unknown>) => work.then(String, ({code, message}) => `${code}: ${message}`)
  expect(await refusal(items.add({title: " "}, {request: "d"}))).toMatch(/^request_invalid: item.title: expected text/)
  expect(await refusal(items.add({title: "x"}, {} as never))).toMatch(/^request_invalid: .*request/)
  expect(await refusal(items.change(1, {is: "sell"} as never, {request: "e"}))).toMatch(/^request_invalid: "sell"/)
  expect(await refusal(items.change(1, {is: "claim"}, {request: "f"}))).toMatch(/^request_invalid: assignee/)
  expect(await refusal(items.change(1, {is: "accept"}, {...ada, request: "g"}))).toMatch(
    /^workroom_state: accept needs/,
  )
  expect(await refusal(items.change(9, {is: "review"}, {...ada, request: "h"}))).toMatch(/^workroom_unknown/)
  expect([items.get(9), heard.length]).toEqual([undefined, 11])
})
