"""Rows of an SQLite database, by --sql: the commands treat them like those of a file."""

import json
import os
import sqlite3
import subprocess
import unittest

from program import PROGRAM, QUICK, ProgramTest

QUERY = "select * from houses order by id"


class Databases(ProgramTest):
    def setUp(self):
        super().setUp()
        self.housing()
        header, *lines = [line.split(",") for line in self.read("housing.csv").splitlines()]
        self.database = sqlite3.connect(self.directory / "houses.db")
        self.addCleanup(self.database.close)
        self.database.execute(f"create table houses (id integer primary key, {', '.join(header)})")
        places = ", ".join("?" * len(header))
        for line in lines:  # numbers as numbers, whatever the column says
            values = [float(cell) if cell[0].isdigit() else cell for cell in line]
            self.database.execute(f"insert into houses ({', '.join(header)}) values ({places})", values)
        self.database.commit()

    def train_query(self, query, *options, target="price"):
        result = self.succeed("train", "houses.db", "--sql", query, "--target", target, *QUICK, "--json", "--model", "m", *options)
        return json.loads(result.stdout)

    def test_give_the_model_and_the_figures_of_the_same_rows_in_a_file(self):
        columns = "select area, rooms, age, distance, garden, condition, price from houses order by id"
        of_file = self.train("--model", "f")
        self.assertEqual(self.train_query(columns)["objective"], of_file["objective"])
        rows = ["houses.db", "--sql", columns]
        for command in (["predict"], ["evaluate", "--json"], ["importance", "--json"]):
            of_rows = [self.succeed(command[0], "m", *data, *command[1:]).stdout for data in (rows, ["housing.csv"])]
            self.assertEqual(of_rows[0], of_rows[1])
        self.succeed("report", "m", *rows, "-o", "page.html")
        self.assertIn("partial dependence", self.read("page.html").lower())
        # The model reads files as any other does, also those that are written differently.
        self.write("other.csv", self.read("housing.csv").replace(",", ";"))
        self.assertEqual(self.succeed("predict", "m", "other.csv").stdout, self.succeed("predict", "m", "housing.csv").stdout)

    def test_null_is_missing_and_texts_may_hold_any_sign(self):
        strange = ['say "hi", they said', "two\nlines", "semi;colon"]
        self.database.execute("alter table houses add column remark")
        for row in range(120):
            self.database.execute("update houses set remark = ? where id = ?", (strange[row % 3], row + 1))
        self.database.execute("update houses set area = null where id in (3, 4, 5)")
        self.database.commit()
        self.train_query(QUERY, "--ignore", "id")
        model = json.loads(self.succeed("inspect", "m", "--json").stdout)
        by_name = {column["name"]: column for column in model["inputs"]}
        self.assertEqual(sorted(by_name["remark"]["categories"]), sorted(strange))
        kept = self.succeed("predict", "m", "houses.db", "--sql", QUERY, "--keep", "id,area").stdout.splitlines()
        self.assertEqual([line.split(",")[1] for line in kept[3:6]], ["", "", ""])
        self.refuse("predict", "m", "houses.db", "--sql", QUERY, "--missing", "refuse", says="the column 'area' has no value")

    def test_are_predicted_piece_by_piece(self):
        self.train_query(QUERY, "--ignore", "id")
        most = {}
        for count in (1000, 400000):
            numbers = f"with recursive n(i) as (select 1 union all select i + 1 from n limit {count}) "
            query = numbers + "select i % 200 as area, 3 as rooms, 4 as age, 5 as distance, 'no' as garden, 'good' as condition from n"
            with open(self.directory / "out.csv", "wb") as out:
                running = subprocess.Popen([PROGRAM, "predict", "m", "houses.db", "--sql", query], cwd=self.directory, stdout=out)
                _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(running.returncode, 0)
            most[count] = usage.ru_maxrss
        self.assertEqual(self.read("out.csv").count("\n"), 400001)
        self.assertLess(most[400000], most[1000] + 20000)  # kilobytes; the rows are 8 MB as text, 19 MB as numbers

    def test_a_query_that_cannot_be_used_is_refused_with_the_tables_there_are(self):
        def refused(query, says, *options, file="houses.db"):
            self.refuse("train", file, "--sql", query, "--target", "price", *options, says=says)

        refused("select * from hauses", ["houses.db: the query of --sql fails: no such table: hauses; its tables: houses"])
        refused("selct * from houses", ['syntax error', "its tables: houses"])
        refused("select garage from houses", ["no such column: garage"])
        refused("delete from houses", ["'delete from houses'", "it gives no rows; use a query such as select * from houses"])
        refused("", ["it gives no rows"])
        refused("select 1; select 2", ["several statements; use one query"])
        refused("select price, x'00ff' as picture from houses", ["'picture'", "leave it out of the query"], "--quiet")
        refused("select * from houses where id < 0", ["the query of --sql gives no row"], "--quiet")
        refused("select * from houses", ["'separator' = ';'", "leave it out with --sql"], "--separator", ";")
        refused("select * from houses", ["housing.csv: is no SQLite database; leave --sql out"], file="housing.csv")
        refused("select * from houses", ["none.db: there is no such file"], file="none.db")
        self.refuse("train", "houses.db", "--target", "price", says=["this is a database", "--sql 'select * from houses'"])
        self.assertEqual(self.database.execute("select count(*) from houses").fetchone(), (120,))

    def test_rows_that_change_between_two_readings_are_refused(self):
        # A column of numbers and, in later rows, many texts is read again when the first text is met.
        query = "select id, case when id > 40 then 'x' || (id % 5) else id end as kind, price from houses order by id > 40, random()"
        self.refuse("train", "houses.db", "--sql", query, "--target", "price", *QUICK, "--quiet", says="gives other rows when it is run again")
        self.train_query(query.replace("random()", "id"))


if __name__ == "__main__":
    unittest.main()
