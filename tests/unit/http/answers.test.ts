import {expect, test} from "vitest"
import {hidingFolder, problemAnswer} from "../../../server/http/answers.ts"
import {Problem} from "../../../shared/problems.ts"

test("a problem names no path of the server above the project's folder, and other fields stay", async () => {
  const folder = '/srv/the "bot"'
  const detail = (text: string) =>
    problemAnswer(
      new Problem("state_unwritable", text),
      "1",
      {},
      hidingFolder(folder, json => json),
    ).json()
  expect(await detail(`EACCES: open '${folder}/.svc/x', of ${folder}/data\n`)).toMatchObject({
    detail: "EACCES: open '.svc/x', of data\n",
  })
  const file = JSON.stringify({file: "/srv/bot/data.sqlite", task: {problem: {detail: "in /srv/bot/.svc"}}})
  expect(JSON.parse(hidingFolder("/srv/bot", json => json)(file))).toEqual({
    file: "/srv/bot/data.sqlite",
    task: {problem: {detail: "in .svc"}},
  })
})
