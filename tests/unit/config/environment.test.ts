import {chmodSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {readEnvironment} from "../../../server/config/load.ts"
import {makeProject} from "../../support/host/project.ts"

const read = async (files: Record<string, string>, own: Record<string, string> = {}, name = "production") =>
  readEnvironment(makeProject({files}).folder, name, own)

describe("the environment", () => {
  test("prefers the process's variables, then .env.<name>, then .env", async () => {
    const {variables} = await read(
      {".env": "A=base\nB=base\nC=base\n", ".env.production": "B=named\nC=named\n", ".env.development": "A=other\n"},
      {C: "own"},
    )
    expect(variables).toMatchObject({A: "base", B: "named", C: "own"})
  })

  test("needs no file", async () => {
    expect(await read({}, {A: "own"})).toEqual({name: "production", files: [], variables: {A: "own"}})
  })

  test("accepts quoted values, and keeps # and = and spaces inside quotes", async () => {
    const {variables} = await read({".env": "A=\"x # y\"\nB=a=b\nC='$HOME'\nexport D=exported\n# E=comment\nF=\n"})
    expect(variables).toEqual({A: "x # y", B: "a=b", C: "$HOME", D: "exported", F: ""})
  })

  test("never expands or runs a value", async () => {
    const {variables} = await read({".env": "A=$(id)\nB=${HOME}\nC=`id`x\n"})
    expect(variables.A).toBe("$(id)")
    expect(variables.B).toBe("${HOME}")
  })

  test("reports the permissions of a file for the doctor", async () => {
    const project = makeProject({files: {".env": "A=1\n"}})
    chmodSync(project.path(".env"), 0o640)
    const {files} = await readEnvironment(project.folder, "test", {})
    expect(files).toMatchObject([{path: project.path(".env"), mode: 0o640, values: {A: "1"}}])
  })
})
