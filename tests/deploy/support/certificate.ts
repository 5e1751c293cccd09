import {execFileSync} from "node:child_process"
import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {getCACertificates, setDefaultCACertificates} from "node:tls"
import {onTestFinished} from "vitest"
import {makeFolder} from "../../support/host/project.ts"

/** The files of a certificate for `localhost`; `pem` contains certificate and key, as HAProxy needs it. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
  readonly pem: string
}

/** Makes a certificate with openssl. Every client of this thread trusts it until the test ends. */
export const makeCertificate = (): Certificate => {
  const folder = makeFolder()
  const [certificate, key, pem] = ["fullchain.pem", "privkey.pem", "both.pem"].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
  execFileSync("openssl", ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", certificate], {stdio: "pipe"})
  writeFileSync(pem, [certificate, key].map(path => readFileSync(path, "utf8")).join(""), {mode: 0o600})
  const before = getCACertificates("default")
  setDefaultCACertificates([...before, readFileSync(certificate, "utf8")])
  onTestFinished(() => setDefaultCACertificates(before))
  return {certificate, key, pem}
}
