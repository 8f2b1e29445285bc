# SPDX-License-Identifier: Apache-2.0
"""Tables as text and as one self-contained page, with the scalability figure as a drawing in it."""
import html as escape

COLOURS = ["#b03a2e", "#1f618d", "#1e8449"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 320, 48, 120, 16, 44


def line(cells, columns):
    """One row, columns as wide as they say; the last one as long as it is."""
    text = "".join(f"{str(cell):<{width}} " for cell, (_, width) in zip(cells, columns))
    print(text.rstrip(), flush=True)


def table(columns, rows):
    head = "".join(f"<th>{escape.escape(name)}</th>" for name, _ in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape.escape(str(cell))}</td>" for cell in row) + "</tr>\n"
                   for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>\n"


def curves(rows):
    """By share of writes: (threads, mean schedules) where there is a mean."""
    found = {}
    for name, threads, _, _, mean, *_ in rows:
        if mean != "-":
            found.setdefault(name, []).append((int(threads), float(mean)))
    return found


def plot(rows):
    """Threads by powers of two along, schedules up to six or more upwards."""
    found = curves(rows)
    if not found:
        return "<p>Nothing to draw: no fix was broken.</p>\n"
    threads = sorted({t for points in found.values() for t, _ in points})
    top = max(6, *(s for points in found.values() for _, s in points))

    def x(t):
        span = WIDTH - LEFT - RIGHT
        return LEFT + span * threads.index(t) / max(1, len(threads) - 1)

    def y(s):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * s / top

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="schedules by threads">']
    for s in range(0, int(top) + 1):
        parts.append(f'<line x1="{LEFT}" y1="{y(s):.1f}" x2="{WIDTH - RIGHT}" y2="{y(s):.1f}" class="grid"/>'
                     f'<text x="{LEFT - 8}" y="{y(s) + 4:.1f}" text-anchor="end">{s}</text>')
    for t in threads:
        parts.append(f'<text x="{x(t):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{t}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">threads</text>')
    for (name, points), colour in zip(found.items(), COLOURS):
        path = " ".join(f"{x(t):.1f},{y(s):.1f}" for t, s in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(t):.1f}" cy="{y(s):.1f}" r="3" fill="{colour}"/>' for t, s in points]
        last = points[-1]
        shift = 14 * (list(found).index(name) - 1)
        parts.append(f'<text x="{x(last[0]) + 8:.1f}" y="{y(last[1]) + 4 + shift:.1f}" fill="{colour}">{name}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def html(shown, scale):
    """The page: each table under its title; the plot under the scalability table."""
    text = ["""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Heddle: is a fix sufficient?</title>
<style>
body { font: 15px/1.4 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } th, td { padding: 2px 8px; text-align: left; }
th { border-bottom: 2px solid #888; } td { border-bottom: 1px solid #ddd; }
svg { max-width: 50em; font: 12px sans-serif; } .grid { stroke: #ddd; }
</style></head><body>
<h1>Is a fix sufficient?</h1>
<p>Measured by <code>make eval-swan</code>. SWAN, AssertFuzzer and CAPP: as reported by Shi, Huang, Chen
and Xu, Verifying Synchronization for Atomicity Violation Fixing (2016), on the original programs.</p>
"""]
    for title, columns, rows in shown:
        text.append(f"<h2>{escape.escape(title)}</h2>\n" + table(columns, rows))
        if columns is scale:
            text.append(plot(rows))
    return "".join(text) + "</body></html>\n"
