import {expect, test} from "vitest"
import {Scram} from "../../../../server/adapters/xmpp/stream/scram.ts"

const credentials = {username: "user", password: "pencil"}
const challenge = "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"

const asked = async (message: string) => {
  const scram = new Scram("fyko+d2lbbFgONRv9qkxdawL")
  const first = await scram.response(credentials)
  scram.challenge(message)
  return {scram, first}
}

test("SCRAM follows the example of RFC 5802, section 5", async () => {
  const {scram, first} = await asked(challenge)
  expect(first).toBe("n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL")
  expect(await scram.response(credentials)).toBe(
    "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
  )
  scram.challenge("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")
  expect(await scram.response(credentials)).toBe("")
})

test("SCRAM refuses a server that does not know the password", async () => {
  const {scram} = await asked(challenge)
  await scram.response(credentials)
  for (const message of ["v=cm1GOXBxVjhTN3N1QW9aV2phND0=", "e=other-error"])
    expect(() => scram.final(message)).toThrow(/\bpassword\b/)
})

test.each([
  ["another login", challenge.replace("r=fyko", "r=other"), "a different login"],
  ["no rounds", challenge.replace("i=4096", "i=0"), "rounds of hashing"],
  ["endless rounds", challenge.replace("4096", "99999999999"), "rounds of hashing"],
])("SCRAM refuses a challenge with %s", async (_, message, reason) => {
  const {scram} = await asked(message)
  await expect(scram.response(credentials)).rejects.toThrow(reason)
})

test("SCRAM escapes a comma and an equals sign in a name as in the RFC", async () => {
  expect(await new Scram("nonce").response({...credentials, username: "a=b,c"})).toBe("n,,n=a=3Db=2Cc,r=nonce")
})
