import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {afterAll, beforeAll, expect, test} from "vitest"
import {type ComposeEngine, restart, setToken, startComposeEngine} from "./support/containers/compose-engine.ts"
import {pluginNeed} from "./support/containers/compose-plugin.ts"
import {type Composition, commandsOf} from "./support/containers/composition.ts"
import {engineNeeds} from "./support/containers/dockerd.ts"
import {describePart} from "./support/part.ts"

const page = commandsOf("docs/deploy/compose.md")
const id = "20261121-120933-7f226e"
const commit = "git -c user.name=dana -c user.email=dana@example.org commit --quiet --message"

describePart("compose", [...engineNeeds, pluginNeed], () => {
  let engine: ComposeEngine
  let bot: Composition

  /** Runs a line of the page exactly as it is written there. */
  const written = (line: string) => bot.must(page.asWritten(line))

  const tokenOf = () => /HTTP_TOKEN=(.+)/.exec(readFileSync(join(bot.folder, ".env"), "utf8"))?.[1] ?? ""

  const greet = () => written('echo "/greet Ada" | docker compose exec -T bot svc chat')

  const expectState = async () => {
    expect((await bot.inside("svc inbox list; svc schedule list")).stdout).toMatch(/\/greet Ada.*tea/s)
  }

  beforeAll(async () => {
    engine = await startComposeEngine()
    bot = await engine.makeProject("my-bot", "bun")
    await bot.must(`git init --quiet && git add . && ${commit} first`)
  })

  afterAll(() => engine?.close())

  test("refuses to start without HTTP_TOKEN", async () => {
    await written("svc deploy add compose")
    const refused = await bot.run("docker compose config --quiet")
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toMatch(/HTTP_TOKEN.*copy \.env\.example to \.env/)
  })

  test("builds the image from project and lockfile, and does not start with the placeholder token", async () => {
    for (const line of ["cp .env.example .env", "chmod 600 .env"]) await written(line)
    await bot.must("docker compose build")
    const refused = await bot.run("docker compose run --rm -T bot")
    expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining("placeholder")})
  })

  test("becomes healthy with a token, and ready at its published port", async () => {
    await written(setToken)
    expect(tokenOf()).toHaveLength(64)
    await written("docker compose config --quiet")
    await written("docker compose up --build --detach --wait")
    expect(await bot.inspect("{{.State.Health.Status}}")).toBe("healthy")
    expect(await written("curl --fail http://127.0.0.1:8068/pub/ready")).toBe('{"ready":true}')
  })

  test("runs the runtime as process 1, with a uid other than 0 and without capabilities", async () => {
    const {stdout} = await bot.inside("cat /proc/1/cmdline | tr '\\0' ' '; echo; cat /proc/1/status")
    expect(stdout).toMatch(/^svc-runtime node_modules\/svc-runtime\/cli\/launch\.js runtime start/)
    expect(stdout).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
    expect(stdout).toMatch(/^CapBnd:\t0+$/m)
    expect(stdout).toMatch(/^CapEff:\t0+$/m)
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m)
  })

  test("writes to data/, .svc/ and the temporary folder only, and can execute nothing there", async () => {
    for (const place of ["data", ".svc", "/tmp"]) {
      const kept = await bot.inside(`echo kept > ${place}/probe && rm ${place}/probe`)
      expect({place, code: kept.code}).toEqual({place, code: 0})
    }
    for (const place of ". plugins node_modules dist /etc /usr/local/bin /var/tmp /home /run".split(" ")) {
      const {code, stderr} = await bot.inside(`touch ${place}/probe`)
      expect({place, code, why: /Read-only|Permission denied/.test(stderr)}).toEqual({place, code: 1, why: true})
    }
    const executed = await bot.inside("cp /bin/true /tmp/true && chmod +x /tmp/true && /tmp/true")
    expect(executed.stderr).toContain("Permission denied")
  })

  test("has no secret in a layer, the history or the description of the image", async () => {
    await bot.must(`docker save --output ${engine.scratch}/image.tar my-bot:latest`)
    const layers = `tar --extract --to-stdout --wildcards --file ${engine.scratch}/image.tar '*.tar' '*.json'`
    // The same search finds a text that is present.
    expect(await bot.must(`${layers} | grep --text --count "A bot on svc"`)).not.toBe("0\n")
    expect((await bot.run(`${layers} | grep --text --count ${tokenOf()}`)).stdout).toBe("0\n")
    expect(await bot.must("docker history --no-trunc my-bot:latest")).not.toContain(tokenOf())
    const find = String.raw`find . -path ./node_modules -prune -o \( -name '.env*' -o -name .git -o -name vendor \) -print`
    expect(await bot.must(`docker run --rm --network none my-bot:latest ${find}`)).toBe("")
  })

  test("has an image that describes itself and adds less than 50 MB to its base", async () => {
    const labels = JSON.parse(await bot.must("docker image inspect --format '{{json .Config.Labels}}' my-bot:latest"))
    expect(labels["org.opencontainers.image.title"]).toBe("my-bot")
    const size = async (name: string) => Number(await bot.must(`docker image inspect --format '{{.Size}}' ${name}`))
    expect((await size("my-bot:latest")) - (await size("oven/bun:1"))).toBeLessThan(50_000_000)
  })

  test("runs the operator's commands inside the container", async () => {
    expect(await written("docker compose exec -T bot svc runtime status")).toContain("docker")
    expect((await bot.inside("svc runtime stop")).stderr).toContain("docker compose stop")
    await written("docker compose exec -T bot svc doctor")
    expect(await greet()).toContain("hello Ada")
    await written(
      "docker compose exec -T bot svc schedule add tea --every 1h --timezone UTC --endpoint sandbox --channel chat --text Tea",
    )
    expect(await written("docker compose logs --tail 20 bot")).toContain('"level"')
  })

  test("ends in time with 0 on SIGTERM; down and up keep messages and jobs", async () => {
    const since = Date.now()
    await written("docker compose stop")
    expect(Date.now() - since).toBeLessThan(20_000)
    expect(await bot.exitCodes(since)).toEqual([0])
    await bot.must("docker compose down; docker compose up --detach")
    await bot.untilReady()
    await expectState()
  })

  test("accepts a new token in a new container", async () => {
    const old = tokenOf()
    await written(setToken)
    await written("docker compose up --detach --wait")
    const ask = (token: string) =>
      bot.must(`curl --silent --header 'Authorization: Bearer ${token}' http://127.0.0.1:8068/api/system/status`)
    expect(JSON.parse(await ask(old))).toMatchObject({code: "unauthorized"})
    expect(JSON.parse(await ask(tokenOf()))).toMatchObject({project: "my-bot"})
  })

  test("restores a checkpoint made inside, also into new volumes", async () => {
    await written("docker compose exec -T bot svc checkpoint create --output - > bot.tar")
    expect(await written("docker compose exec -T bot svc checkpoint list")).toContain("verified")
    await written("docker compose stop")
    await written("docker compose run --rm -T bot svc checkpoint restore - < bot.tar")
    await bot.must("docker compose down --volumes")
    expect(await bot.must("docker compose run --rm -T bot svc checkpoint restore - < bot.tar")).toMatch(/\bread-only, /)
    await bot.must("docker compose up --detach")
    await bot.untilReady()
    await expectState()
  })

  test("ends with 75 on a reload with changed code, and Docker restarts it", async () => {
    writeFileSync(join(engine.scratch, "mount.yaml"), 'services: {bot: {volumes: ["./bun.lock:/app/bun.lock:ro"]}}')
    await bot.must(`docker compose --file compose.yaml --file ${engine.scratch}/mount.yaml up --detach`)
    const before = await bot.untilReady()
    const since = Date.now()
    await bot.run("echo >> bun.lock; docker compose exec -T bot svc runtime reload")
    await bot.untilReady(before)
    await bot.must("git checkout --quiet bun.lock")
    expect(await bot.exitCodes(since)).toEqual([75])
  })

  test("upgrades and rolls back by images and the checkpoint of the release", async () => {
    await written('echo "SVC_TAG=1" >> .env')
    await written("SVC_COMMIT=$(git rev-parse HEAD) docker compose build")
    await written("docker compose up --no-build --detach --wait")
    await written("docker compose exec -T bot svc release begin")
    await bot.must(`sed -i 's/greeting: hello/greeting: welcome/' svc.config.yml && ${commit} second svc.config.yml`)
    await written('sed -i "s/^SVC_TAG=.*/SVC_TAG=2/" .env')
    await written("SVC_COMMIT=$(git rev-parse HEAD) docker compose build")
    await bot.must("docker compose up --no-build --detach")
    await bot.untilReady()
    await written(
      'docker compose exec -T bot svc release complete --accepted-by dana --unverified "tried by the image pipeline"',
    )
    expect(await greet()).toContain("welcome Ada")
    const {release} = JSON.parse(await bot.must("docker compose exec -T bot svc release status --json"))
    const restore = page.asWritten(`docker compose run --rm -T bot svc checkpoint restore ${id}`)
    await bot.must("docker compose stop")
    const refused = await bot.run(restore.replace(id, release.restorePoint.checkpoint))
    expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining("Deploy the image my-bot:1")})
    await written('sed -i "s/^SVC_TAG=.*/SVC_TAG=1/" .env')
    await bot.must(restore.replace(id, release.restorePoint.checkpoint))
    await bot.must("docker compose up --no-build --detach")
    await bot.untilReady()
    await written("docker compose exec -T bot svc ingress resume --reason release")
    expect(await greet()).toContain("hello Ada")
    await expectState()
    await bot.must("docker compose down --volumes")
  })

  test("has run every command of the page, except those that compose-restarts.test.ts runs", () => {
    expect(page.notRun()).toEqual([restart])
  })
})
