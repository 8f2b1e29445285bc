# SPDX-License-Identifier: Apache-2.0
"""Debian source packages, unpacked. apt runs with settings of its own in a scratch directory and takes the mirrors of
the machine's own sources; nothing of the system's is changed. A mirror need not hold everything: what the machine's
release does not give is asked of the next ones, and at last the original archive alone is taken."""
import os
import re
import subprocess
from pathlib import Path

LATER_RELEASES = ["trixie", "sid"]
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def release():
    """The name of the machine's release."""
    text = Path("/etc/os-release").read_text()
    return re.search(r"^VERSION_CODENAME=(\w+)", text, re.M)[1]


def mirrors():
    """Where the machine itself gets the packages of its release."""
    name, found = release(), []
    for path in sorted(Path("/etc/apt").glob("sources.list.d/*.sources")):
        for stanza in path.read_text().split("\n\n"):
            fields = dict(re.findall(r"^([A-Za-z-]+):\s*(.*)$", stanza, re.M))
            if name in fields.get("Suites", "").split() and "main" in fields.get("Components", "").split():
                found += fields.get("URIs", "").split()
    for path in [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt").glob("sources.list.d/*.list"))]:
        lines = path.read_text() if path.exists() else ""
        found += re.findall(rf"^deb\s+(?:\[.*?\]\s+)?(\S+)\s+{name}\s+.*\bmain\b", lines, re.M)
    return list(dict.fromkeys(found))


def settings(top, suite):
    """Makes apt's directories for one release, with its list of packages; gives apt's environment, or nothing."""
    home = top / "apt" / suite
    conf = home / "apt.conf"
    env = dict(os.environ, APT_CONFIG=str(conf), LC_ALL="C")
    if conf.exists():
        return env
    for part in "lists/partial", "cache/archives/partial":
        (home / part).mkdir(parents=True, exist_ok=True)
    stanza = "Types: deb-src\nURIs: {}\nSuites: {}\nComponents: main\nSigned-By: {}\n"
    (home / "debian.sources").write_text(stanza.format(" ".join(mirrors()), suite, KEYRING))
    made = home / "new.conf"
    made.write_text(f'Dir::State "{home}";\nDir::State::lists "{home}/lists";\nDir::Cache "{home}/cache";\n'
                    f'Dir::Etc::sourcelist "{home}/debian.sources";\nDir::Etc::sourceparts "/dev/null";\n'
                    'Acquire::Retries "2";\nAPT::Sandbox::User "root";\n')
    done = subprocess.run(["apt-get", "-qq", "update"], env=dict(env, APT_CONFIG=str(made)), capture_output=True)
    if done.returncode:
        return None
    made.rename(conf)
    return env


def download(env, name, where, more=()):
    return subprocess.run(["apt-get", "-qq", "source", "--download-only", *more, name], cwd=where, env=env,
                          capture_output=True, timeout=300).returncode == 0


def unpack_original(archives, out):
    """Without Debian's part, the original archive as it is."""
    tar = next(archives.glob("*.orig.tar.*[!c]"))
    out.mkdir()
    subprocess.run(["tar", "-xf", tar, "-C", out, "--strip-components=1"], check=True)
    return tar.name.split("_")[1].split(".orig")[0]


def unpack(archives, out):
    dsc = next(archives.glob("*.dsc"))
    subprocess.run(["dpkg-source", "-q", "--no-check", "-x", dsc, out], check=True, capture_output=True)
    return re.search(r"^Version: (\S+)", dsc.read_text(), re.M)[1]


def fetch(top, name):
    """Gives (directory of the unpacked package, its version); the directory is not to be changed."""
    out, label = top / "sources" / name, top / "sources" / (name + ".version")
    if label.exists():
        return out, label.read_text()
    suites = list(dict.fromkeys([release(), *LATER_RELEASES]))
    for more in (), ("--tar-only",):
        for suite in suites:
            archives = top / "archives" / f"{name}-{suite}{''.join(more)}"
            archives.mkdir(parents=True, exist_ok=True)
            env = settings(top, suite)
            if env and download(env, name, archives, more):
                out.parent.mkdir(exist_ok=True)
                version = unpack_original(archives, out) if more else unpack(archives, out)
                label.write_text(version)
                return out, version
    raise RuntimeError(f"{name}: no mirror of this machine has its source package")
