import {expect, test} from "vitest"
import {createHistory} from "../../../../server/adapters/onebot/history.ts"

const signal = new AbortController().signal

/** A stand-in for an implementation with `count` messages. It returns the newest ones, ascending or descending. */
const implementation = (count: number, {most = 1000, isReversed = false} = {}) => {
  const asked: unknown[] = []
  const messages = Array.from({length: count}, (_, n) => ({
    time: 1_700_000_000 + n,
    message_id: -n,
    user_id: n % 2 === 0 ? 42 : 7,
    message: `line ${n}`,
  }))
  const history = createHistory(async (action, params) => {
    asked.push([action, params])
    const page = messages.slice(-Math.min(most, Number(params.count)))
    return {messages: isReversed ? page.reverse() : page}
  })
  return {asked, history}
}

const texts = (page: {events: readonly {message?: {content?: string}}[]}) =>
  page.events.map(({message}) => message?.content)

test.each([false, true])("a history reaches back as far as needed, in order (newest first: %j)", async isReversed => {
  const {asked, history} = implementation(150, {isReversed})
  const page = await history({channel: "9", after: "-140", limit: 100}, signal)
  expect(texts(page)).toEqual(Array.from({length: 9}, (_, n) => `line ${n + 141}`))
  expect(page.more).toBe(false)
  expect(asked).toEqual([["get_group_msg_history", {group_id: 9, count: 20}]])
  const long = await history({channel: "9", after: "-60", limit: 50}, signal)
  expect(texts(long)).toEqual(Array.from({length: 50}, (_, n) => `line ${n + 61}`))
  expect(long.more).toBe(true)
})

test("a history reports an implementation that does not return the known message", async () => {
  const {history} = implementation(150, {most: 20})
  await expect(history({channel: "9", after: "-60", limit: 50}, signal)).rejects.toThrow(/ reach back\b/)
})

test("a private conversation keeps its channel for messages of the bot too", async () => {
  const {asked, history} = implementation(3)
  const {events} = await history({channel: "private:42", limit: 2}, signal)
  expect(asked.at(-1)).toEqual(["get_friend_msg_history", {user_id: 42, count: 20}])
  expect(events).toMatchObject([
    {
      id: "private:42:-1:1700000001",
      channel: {id: "private:42", type: 1},
      user: {id: "7"},
      timestamp: 1_700_000_001_000,
    },
    {id: "private:42:-2:1700000002", channel: {id: "private:42", type: 1}, user: {id: "42"}},
  ])
})
