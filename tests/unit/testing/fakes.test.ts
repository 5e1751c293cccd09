import {expect, test} from "vitest"
import {Updates} from "../../../server/testing/platforms/telegram/updates.ts"

test("a fake that no bot polls rejects after its limit instead of waiting forever", async () => {
  const updates = new Updates()
  await expect(updates.confirmed(updates.add({message: {}}), 20)).rejects.toThrow("0.02 s")
})
