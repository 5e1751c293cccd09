import {linkSync, mkdirSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {permittedFile} from "../../../server/outbox/files/permitted.ts"
import {makeFolder} from "../../support/machine/folders.ts"

/** Makes a project beside another folder, each with files. Returns both paths. */
const makeFolders = () => {
  const root = makeFolder()
  const project = join(root, "project")
  const write = (path: string, text = path) => {
    mkdirSync(join(root, path, ".."), {recursive: true})
    writeFileSync(join(root, path), text)
  }
  for (const path of ".env .env.production svc.config.yml svc.config.yml.before-1 .svc/x .git/x sub/.svc/x".split(" "))
    write(`project/${path}`)
  for (const path of ["a.txt", "sub/b.txt", "data/bot.sqlite", "data/bot.sqlite-wal", "environment.md"])
    write(`project/${path}`)
  write("elsewhere/c.txt")
  write("elsewhere/.env")
  const database = join(project, "data/bot.sqlite")
  return {root, project, database}
}

test("a file of the project is found by a relative path, an absolute one, and a link inside", async () => {
  const {project, database} = makeFolders()
  symlinkSync("sub", join(project, "linked"))
  const a = {path: join(project, "a.txt"), name: "a.txt", size: 13}
  expect(await permittedFile("a.txt", {project, database})).toMatchObject({name: a.name, size: a.size})
  expect(await permittedFile("./sub/../a.txt", {project, database})).toMatchObject({name: a.name})
  expect(await permittedFile(a.path, {project, database})).toMatchObject({name: a.name})
  expect(await permittedFile("linked/b.txt", {project, database})).toMatchObject({name: "b.txt"})
  expect(await permittedFile("environment.md", {project, database: undefined})).toMatchObject({name: "environment.md"})
})

test("the project may be reached through a link itself", async () => {
  const {root, project, database} = makeFolders()
  symlinkSync(project, join(root, "current"))
  expect(await permittedFile("a.txt", {project: join(root, "current"), database})).toMatchObject({name: "a.txt"})
})

test("an absolute path may lead out of the project, a relative one may not", async () => {
  const {root, project, database} = makeFolders()
  const options = {project, database}
  expect(await permittedFile(join(root, "elsewhere/c.txt"), options)).toMatchObject({name: "c.txt"})
  symlinkSync(join(root, "elsewhere/c.txt"), join(project, "way-out"))
  symlinkSync(join(root, "elsewhere"), join(project, "far"))
  for (const path of ["../elsewhere/c.txt", "way-out", "far/c.txt", "sub/../../elsewhere/c.txt"])
    await expect(permittedFile(path, options), path).rejects.toMatchObject({
      code: "file_path_refused",
      message: expect.stringMatching(/\bout of\b/),
    })
})

test("secrets, the configuration and the Host's own folders are refused, also through links", async () => {
  const {root, project, database} = makeFolders()
  const options = {project, database}
  symlinkSync(".env", join(project, "harmless"))
  symlinkSync(".svc", join(project, "open"))
  const paths = [
    ".env",
    ".env.production",
    "svc.config.yml",
    "svc.config.yml.before-1",
    ".svc/x",
    ".git/x",
    "sub/.svc/x",
    "harmless",
    "open/x",
    join(root, "elsewhere/.env"),
  ]
  for (const path of paths)
    await expect(permittedFile(path, options), path).rejects.toMatchObject({code: "file_path_refused"})
})

test("the database is refused with its log, also through a hard link", async () => {
  const {project, database} = makeFolders()
  linkSync(database, join(project, "copy"))
  linkSync(`${database}-wal`, join(project, "log"))
  for (const path of ["data/bot.sqlite", "data/bot.sqlite-wal", "copy", "log"])
    await expect(permittedFile(path, {project, database}), path).rejects.toMatchObject({
      message: expect.stringMatching(/\bdatabase\b/),
    })
})

test("a folder, a loop of links and a missing file are refused", async () => {
  const {project, database} = makeFolders()
  symlinkSync("loop", join(project, "loop"))
  for (const path of ["sub", "", "loop", "nothing", "a.txt/b"])
    await expect(permittedFile(path, {project, database}), path).rejects.toMatchObject({code: "file_path_refused"})
})
