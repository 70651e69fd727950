// A program of one class in Java, built by Maven.
import { command, path, start, write } from "./lab.mjs";

/** Builds App.java with artifacts, as "group:artifact:version": its classes and theirs are in target. */
export async function build(source, artifacts) {
  const dependencies = artifacts.map((a) => a.split(":")).map(([group, artifact, version]) =>
    `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`).join("");
  write({
    "App.java": source,
    "pom.xml": `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>lab</groupId><artifactId>lab</artifactId><version>1</version>
<dependencies>${dependencies}</dependencies></project>`,
  });
  const env = { MAVEN_OPTS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" };
  await command("mvn", ["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"], { env });
  await command("javac", ["-parameters", "-cp", path("target/dependency/*"), "-d", path("target/classes"), path("App.java")]);
}

/** Builds App.java and starts it until it answers at an address. */
export async function java(source, artifacts, address) {
  await build(source, artifacts);
  await start("java", ["-XX:TieredStopAtLevel=1", "-cp", `${path("target/classes")}:${path("target/dependency/*")}`, "App"], address);
}
