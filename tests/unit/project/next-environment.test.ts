import {expect, test} from "vitest"
import {nextEnvironment} from "../../../server/project/next-environment.ts"
import {makeProject} from "../../support/host/project.ts"

const given = {PATH: "/bin", HTTP_TOKEN: "old", GONE: "yes", OWN: "from the unit", UNSET: undefined}

const projectWith = (env: string) => makeProject({files: {".env": env}})

test("under systemd, the variables of .env come from its current file", () => {
  const project = projectWith("HTTP_TOKEN=old\nGONE=yes\n")
  const next = nextEnvironment(project.folder, "systemd", given)
  project.write(".env", "HTTP_TOKEN=new\nMORE=1\nOWN=from the file\n")
  expect(next()).toEqual({PATH: "/bin", HTTP_TOKEN: "new", MORE: "1", OWN: "from the file"})
})

test("under systemd, a unit that does not read .env keeps its variables", () => {
  const project = projectWith("HTTP_TOKEN=another\n")
  const next = nextEnvironment(project.folder, "systemd", given)
  project.write(".env", "HTTP_TOKEN=new\n")
  expect(next()).toEqual({PATH: "/bin", HTTP_TOKEN: "old", GONE: "yes", OWN: "from the unit"})
})

test.each(["daemon", "docker", "none"])("under %s the next start has the same variables as this one", supervisor => {
  const project = projectWith("HTTP_TOKEN=old\n")
  const next = nextEnvironment(project.folder, supervisor, given)
  project.write(".env", "HTTP_TOKEN=new\n")
  expect(next()).toEqual({PATH: "/bin", HTTP_TOKEN: "old", GONE: "yes", OWN: "from the unit"})
})
