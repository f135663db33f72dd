//! Commands of real probes, and the questions that rules ask of them.

use super::*;

use crate::knowledge::clients;

fn exec(argv: &[&str]) -> Exec {
    let args: Vec<Arg<'_>> = argv.iter().map(|text| Arg { text }).collect();
    read(&args)
}

fn sh(script: &str) -> Exec {
    exec(&["sh", "-c", script])
}

/// The programs with their answer to "do you decide", as `curl=Yes grep=No`.
fn decisions(exec: &Exec) -> String {
    let shown = exec.programs().map(|(_, run)| format!("{}={:?}", run.program().unwrap_or_default(), run.decides));
    shown.collect::<Vec<_>>().join(" ")
}

fn programs(exec: &Exec) -> Vec<String> {
    exec.programs().map(|(_, run)| run.program().unwrap_or_default().into_owned()).collect()
}

/// The targets of all calls and devices, as `psql>db:5432`.
fn targets(exec: &Exec) -> String {
    let mut shown = Vec::new();
    for call in exec.calls(clients()) {
        for target in call.targets() {
            let port = target.port.map(|port| format!(":{port}")).unwrap_or_default();
            shown.push(format!("{}>{}{port}", call.run.program().unwrap_or_default(), peer(&target.peer)));
        }
    }
    for run in exec.runs() {
        for target in exec.device_targets(run) {
            let port = target.port.map(|port| format!(":{port}")).unwrap_or_default();
            shown.push(format!("device>{}{port}", peer(&target.peer)));
        }
    }
    shown.join(" ")
}

fn peer(peer: &Peer) -> String {
    match peer {
        Peer::Default(_) => "default".to_owned(),
        Peer::Loopback => "loopback".to_owned(),
        Peer::Socket => "socket".to_owned(),
        Peer::OwnPod => "own-pod".to_owned(),
        Peer::Name(name) => name.clone(),
        Peer::Variables(variables) => {
            let shown = variables.iter().map(|variable| match &variable.default {
                Some(default) => format!("${}?{}", variable.name, self::peer(default)),
                None => format!("${}", variable.name),
            });
            shown.collect::<Vec<_>>().join("+")
        }
        Peer::Unknown => "unknown".to_owned(),
    }
}

fn shown<'a>(argv: &'a [&'a str], place: Place) -> &'a str {
    place.span.text(argv[place.arg as usize])
}

mod reading {
    use super::*;

    #[test]
    fn plain_argv_is_one_command_of_literal_words() {
        let exec = exec(&["redis-cli", "-h", "$HOST", "a|b", ">", "x"]);
        assert_eq!(programs(&exec), ["redis-cli"]);
        let texts: Vec<_> = exec.runs()[0].words.iter().map(|word| word.text().unwrap().into_owned()).collect();
        assert_eq!(texts, ["redis-cli", "-h", "$HOST", "a|b", ">", "x"]);
        assert!(exec.understood());
    }

    #[test]
    fn shells_are_unwrapped_in_every_spelling() {
        for argv in [
            &["sh", "-c", "nc -z db 1"] as &[&str],
            &["/bin/sh", "-c", "--", "nc -z db 1"],
            &["bash", "-ec", "nc -z db 1"],
            &["bash", "-c", "-e", "nc -z db 1"],
            &["/bin/sh", "-i", "-c", "nc -z db 1"],
            &["bash", "-euo", "pipefail", "-c", "nc -z db 1"],
            &["bash", "-o", "pipefail", "-ec", "nc -z db 1"],
            &["timeout", "5", "sh", "-c", "nc -z db 1"],
            &["timeout", "-k", "2", "--signal=KILL", "5s", "sh", "-c", "exec nc -z db 1"],
            &["timeout", "-t", "5", "nc", "-z", "db", "1"],
            &["env", "-u", "X", "A=b", "nc", "-z", "db", "1"],
            &["/usr/bin/env", "bash", "-c", "nc -z db 1"],
            &["busybox", "sh", "-c", "busybox nc -z db 1"],
            &["su", "-c", "nc -z db 1"],
            &["su", "-", "postgres", "-c", "nc -z db 1"],
            &["gosu", "postgres", "nc", "-z", "db", "1"],
            &["su-exec", "redis:redis", "nc", "-z", "db", "1"],
            &["sudo", "-u", "root", "-E", "nc", "-z", "db", "1"],
            &["tini", "--", "nc", "-z", "db", "1"],
            &["nice", "-n", "10", "nc", "-z", "db", "1"],
            &["runuser", "-u", "x", "--", "nc", "-z", "db", "1"],
            &["nsenter", "--mount=/proc/1/ns/mnt", "-t", "1", "nc", "-z", "db", "1"],
            &["sh", "-c", "sh -c 'bash -c \"nc -z db 1\"'"],
            &["bash", "--login", "-c", "nc -z db 1"],
        ] {
            let exec = exec(argv);
            assert_eq!(programs(&exec), ["nc"], "{argv:?}");
            assert_eq!(targets(&exec), "nc>db:1", "{argv:?}");
            assert!(exec.understood(), "{argv:?}");
            let (_, run) = exec.programs().next().unwrap();
            assert_eq!(shown(argv, run.words[0].place), "nc", "{argv:?}");
            assert_eq!(run.decides, Decides::Yes, "{argv:?}");
        }
    }

    #[test]
    fn every_construct_of_the_shell_is_read() {
        let script = "#!/bin/sh\n\
            # a comment\n\
            set -e # another\n\
            f() { echo \"in f\"; }\n\
            function g { true; }\n\
            if a && ! b || c; then d; elif e; then f; else g; fi\n\
            while read -r line; do case \"$line\" in x|y) h ;; (*) i;; esac; done < /tmp/x\n\
            for n in 1 2 $(j); do k; done; until l; do sleep 1; done\n\
            { m; } && ( n; o ) 2>&1 | p \\\n  --q > /dev/null &\n\
            [ -n \"$x\" ] && [[ $x == a* && ( -f /y || $z =~ ^(a|b)$ ) ]]\n\
            cat <<EOF | r\nnot a command $(no)\nEOF\n\
            x=$(( 1 + $(s) )) y=`t \\`u\\`` v=${w:-\"$(v)\"}\n\
            a=(1 2) ; (( i++ )); w <<<'here' ; x <(y) $'tab\\t' \"a\\\"b\"\n";
        let exec = sh(script);
        assert!(exec.understood());
        let found = programs(&exec).join(" ");
        assert_eq!(found, "set echo true a b c d e f g read h i j k l sleep m n o p [ cat r s t u v w x y");
    }

    #[test]
    fn what_cannot_be_read_makes_every_answer_unknown_and_no_error() {
        for script in [
            "if true; then",
            "echo 'open",
            "a | | b",
            "case x in",
            ")",
            "foo ;; bar",
            "${x",
            "$(",
            "`x",
            "[[ a",
            "done",
        ] {
            let exec = sh(script);
            assert!(!exec.understood(), "{script}");
            assert!(exec.runs().iter().all(|run| run.decides == Decides::Unknown), "{script}");
            assert!(!exec.always_succeeds());
        }
    }

    #[test]
    fn places_point_into_the_element_through_quotes_and_escapes() {
        let argv = ["sh", "-c", "sh -c \"nc -z \\\"kafka\\\" 9092\" && mysql -D $$DB -h 'd''b'"];
        let exec = exec(&argv);
        let words: Vec<_> = exec
            .programs()
            .flat_map(|(_, run)| &run.words)
            .map(|word| (word.text().map(String::from).unwrap_or_default(), shown(&argv, word.place)))
            .collect();
        assert!(words.contains(&("nc".to_owned(), "nc")), "{words:?}");
        assert!(words.contains(&("9092".to_owned(), "9092")), "{words:?}");
        assert!(words.contains(&("db".to_owned(), "'d''b'")), "{words:?}");
        assert!(words.contains(&(String::new(), "$DB")), "{words:?}");
        let hosts: Vec<_> =
            exec.calls(clients()).iter().flat_map(Call::targets).map(|target| shown(&argv, target.place)).collect();
        assert_eq!(hosts, ["kafka", "d''b"]);
    }

    #[test]
    fn text_can_be_inserted_behind_the_program() {
        let argv = ["sh", "-c", "sleep 1; /usr/bin/curl  http://localhost/"];
        let exec = exec(&argv);
        let call = &exec.calls(clients())[1];
        let at = call.http_client().unwrap().insert_at;
        assert_eq!((at.arg, at.span.start, at.span.len()), (2, 22, 0));
    }

    #[test]
    fn the_kubelet_expands_before_the_shell() {
        let exec = exec(&["mysql", "-h", "$(DB_HOST)", "-D$$X", "$(not a name)"]);
        assert_eq!(targets(&exec), "mysql>$DB_HOST");
        assert_eq!(exec.references().len(), 1);
        assert_eq!(exec.references()[0].name, "DB_HOST");
        assert_eq!(exec.runs()[0].words[3].text().unwrap(), "-D$X");
        assert_eq!(exec.runs()[0].words[4].text().unwrap(), "$(not a name)");
    }

    #[test]
    fn variables_carry_their_defaults() {
        let exec = sh("pg_isready -h ${PGHOST_X:-localhost} -p \"$PORT\"");
        assert_eq!(targets(&exec), "pg_isready>$PGHOST_X?loopback:${PORT}");
    }

    #[test]
    fn here_documents_are_not_commands() {
        let exec = sh("cat <<-'EOF'\n\tcurl http://a\n\tEOF\nnc -z db 1");
        assert_eq!(programs(&exec), ["cat", "nc"]);
    }

    #[test]
    fn an_exec_without_words_is_no_command() {
        let exec = exec(&[]);
        assert!(exec.programs().next().is_none());
        assert!(exec.misread().is_empty());
    }
}

mod deciding {
    use super::*;

    #[test]
    fn the_last_command_decides_and_those_before_do_not() {
        assert_eq!(decisions(&sh("a; b\nc")), "a=No b=No c=Yes");
        assert_eq!(decisions(&sh("set -e; a; b\nc")), "set=No a=Yes b=Yes c=Yes");
        assert_eq!(decisions(&exec(&["bash", "-ec", "a; b; echo ok"])), "a=Yes b=Yes echo=No");
        assert_eq!(decisions(&sh("set -e; a; set +e; b; c")), "set=No a=Yes set=No b=No c=Yes");
    }

    #[test]
    fn both_sides_of_and_and_or_decide() {
        assert_eq!(decisions(&sh("a && b")), "a=Yes b=Yes");
        assert_eq!(decisions(&sh("a || b")), "a=Yes b=Yes");
        assert_eq!(decisions(&sh("a || exit 1")), "a=Yes exit=No");
        assert_eq!(decisions(&sh("a && b || c")), "a=Yes b=Yes c=Yes");
    }

    #[test]
    fn an_alternative_that_cannot_fail_throws_the_status_away() {
        for script in
            ["a || true", "a || :", "a || echo no", "a || exit 0", "(a) || true", "{ a; } || true", "a && true || true"]
        {
            let exec = sh(script);
            let (_, run) = exec.programs().next().unwrap();
            assert_eq!(run.decides, Decides::No, "{script}");
            assert_eq!(run.ignored.unwrap().by, IgnoredBy::Alternative, "{script}");
            assert!(exec.always_succeeds(), "{script}");
        }
        let exec = sh("a || true");
        let by = exec.runs()[1].ignored.unwrap().run.unwrap();
        assert_eq!(exec.runs()[by].program().unwrap(), "true");
    }

    #[test]
    fn what_follows_throws_the_status_away() {
        let exec = sh("curl -f http://x; exit 0");
        assert_eq!(decisions(&exec), "curl=No exit=No");
        assert_eq!(exec.runs()[1].ignored.unwrap().by, IgnoredBy::Follower);
        assert!(exec.always_succeeds());
        assert!(sh("curl http://x\necho done").always_succeeds());
        assert!(!sh("curl http://x; false").always_succeeds());
        assert_eq!(decisions(&sh("a; exit $?")), "a=Yes exit=Yes");
        assert_eq!(decisions(&sh("a; exit")), "a=Yes exit=Yes");
        assert_eq!(decisions(&sh("grep -q x /log > /dev/null 2>&1 ; [ $? -ne 0 ]")), "grep=Yes [=Yes");
        assert_eq!(decisions(&sh("a; rc=$?; echo $rc; exit 0")), "a=No echo=No exit=No");
        assert_eq!(decisions(&sh("a; rc=$?; echo $rc; exit $rc")), "a=Yes echo=No exit=Yes");
    }

    #[test]
    fn only_the_last_stage_of_a_pipeline_decides_without_pipefail() {
        assert_eq!(decisions(&sh("a | tee /log")), "a=No tee=Yes");
        assert_eq!(decisions(&sh("set -o pipefail; a | tee /log")), "set=No a=Yes tee=Yes");
        assert_eq!(decisions(&exec(&["bash", "-euo", "pipefail", "-c", "a | b | c"])), "a=Yes b=Yes c=Yes");
        assert_eq!(sh("a | b").runs()[1].ignored.unwrap().by, IgnoredBy::Pipe);
    }

    #[test]
    fn a_condition_decides_when_its_branches_end_differently() {
        assert_eq!(decisions(&sh("if a; then exit 0; else exit 1; fi")), "a=Yes exit=No exit=No");
        assert_eq!(decisions(&sh("if ! a; then exit 1; fi")), "a=Yes exit=No");
        assert_eq!(decisions(&sh("if ! a; then exit 1; fi; echo fine")), "a=Yes exit=No echo=No");
        assert_eq!(decisions(&sh("if a; then echo ok; fi")), "a=No echo=No");
        assert_eq!(decisions(&sh("if a; then echo ok; else echo no; fi")), "a=No echo=No echo=No");
        assert_eq!(decisions(&sh("if a; then b; else c; fi")), "a=Yes b=Yes c=Yes");
        let exec = sh("if ! a; then exit 1; fi");
        assert!(exec.runs()[1].in_condition && exec.runs()[1].negated);
    }

    #[test]
    fn loops_are_followed_only_so_far() {
        assert_eq!(decisions(&sh("until a; do sleep 1; done")), "a=Yes sleep=No");
        let exec = sh("for i in 1 2 3; do a && exit 0; sleep 1; done; exit 1");
        assert_eq!(decisions(&exec), "a=Yes exit=No sleep=No exit=No");
        assert_eq!(decisions(&sh("for i in 1 2; do a; done")), "a=Unknown");
        assert_eq!(decisions(&sh("for i in 1 2; do a; b; done; c")), "a=No b=No c=Yes");
    }

    #[test]
    fn substitutions_lose_their_status_except_in_a_bare_assignment() {
        let exec = sh("[ \"$(redis-cli ping)\" = PONG ]");
        assert_eq!(decisions(&exec), "[=Yes redis-cli=No");
        assert_eq!(exec.runs()[2].output, Output::Word(1));
        assert_eq!(decisions(&sh("x=$(a)")), "a=Yes");
        assert_eq!(decisions(&sh("x=$(a) || exit 1; [ $x = 1 ]")), "a=Yes exit=No [=Yes");
        assert_eq!(decisions(&sh("x=$(a); [ $x = 1 ]")), "a=No [=Yes");
        assert_eq!(decisions(&sh("export x=$(a)")), "export=No a=No");
    }

    #[test]
    fn exec_ends_the_script() {
        let exec = sh("exec pg_isready -h 127.0.0.1\n[ -f /x ] || [ -f /y ]");
        let (_, run) = exec.programs().next().unwrap();
        assert_eq!((run.program().unwrap().as_ref(), run.decides), ("pg_isready", Decides::Yes));
        assert!(run.replaces_shell);
    }

    #[test]
    fn functions_are_judged_where_they_are_called() {
        assert_eq!(decisions(&sh("check() { a; }; check")), "a=Yes check=Yes");
        assert_eq!(
            decisions(&sh("check() { a || return 1; b; }; check || true")),
            "a=No return=No b=No check=No true=No"
        );
        assert_eq!(decisions(&sh("check() { a; }; check; check")), "a=Unknown check=No check=Yes");
        assert_eq!(decisions(&sh("f() { f; }; f")), "f=Unknown f=Yes");
    }

    #[test]
    fn background_commands_decide_nothing() {
        assert_eq!(decisions(&sh("a & b")), "a=No b=Yes");
        assert!(sh("a &").always_succeeds());
    }

    #[test]
    fn case_arms_decide_and_the_subject_is_output_only() {
        let exec = sh("case $(a) in ok) exit 0;; *) exit 1;; esac");
        assert_eq!(decisions(&exec), "a=No exit=No exit=No");
        assert!(!exec.always_succeeds());
        assert!(exec.looks_for(2, "ok"));
    }

    #[test]
    fn a_script_that_always_fails_is_told_apart() {
        let ends = sh("a; exit 1").ends();
        assert_eq!(ends, Ends { well: false, badly: true });
    }

    #[test]
    fn code_that_is_not_in_the_text_makes_answers_unknown() {
        assert_eq!(decisions(&sh("eval \"$CMD\"; a")), "eval=Unknown a=Unknown");
        assert_eq!(decisions(&sh("trap 'exit 0' EXIT; a")), "trap=Unknown a=Unknown");
        assert_eq!(decisions(&sh(". /lib.sh; a; b")), ".=Unknown a=Unknown b=Yes");
        assert_eq!(decisions(&sh("a | b; exit ${PIPESTATUS[0]}")), "a=Unknown b=Unknown exit=Yes");
        assert!(!sh(". /lib.sh; a; true").always_succeeds());
    }

    #[test]
    fn plain_true_always_succeeds() {
        assert!(exec(&["true"]).always_succeeds());
        assert!(exec(&["/bin/true"]).always_succeeds());
        assert!(!exec(&["ls"]).always_succeeds());
    }
}

mod output {
    use super::*;

    fn of(exec: &Exec, program: &str) -> RunId {
        exec.programs().find(|(_, run)| run.program().unwrap_or_default() == program).unwrap().0
    }

    #[test]
    fn readers_are_found_through_pipes_words_and_variables() {
        let exec = sh("redis-cli ping | tr -d x | grep -q PONG");
        assert!(exec.looks_for(of(&exec, "redis-cli"), "PONG"));
        let exec = sh(
            "response=$(timeout 3 redis-cli ping)\nif [ \"$response\" != \"PONG\" ]; then echo \"$response\"; exit 1; fi",
        );
        assert!(exec.looks_for(of(&exec, "redis-cli"), "PONG"));
        let exec = sh("test \"$(redis-cli -h 127.0.0.1 -a $PW ping)\" == \"PONG\"");
        assert!(exec.looks_for(of(&exec, "redis-cli"), "PONG"));
        let exec = sh(
            "OK=$(exec 3<>/dev/tcp/127.0.0.1/9181; printf 'ruok' >&3; IFS=; tee <&3; exec 3<&-;)\nif [[ \"${OK}\" == \"imok\" ]]; then exit 0; else exit 1; fi",
        );
        assert!(exec.looks_for(of(&exec, "tee"), "imok"));
        assert!(!sh("redis-cli ping").looks_for(1, "PONG"));
    }

    #[test]
    fn redirections_say_where_output_goes() {
        assert_eq!(sh("a >/dev/null 2>&1").runs()[1].output, Output::Nowhere);
        assert_eq!(sh("a > /tmp/x").runs()[1].output, Output::File);
        assert_eq!(sh("a 2>/dev/null").runs()[1].output, Output::Kubelet);
        assert_eq!(sh("a &>/dev/null").runs()[1].output, Output::Nowhere);
        assert_eq!(sh("{ a; b; } >/dev/null").runs()[2].output, Output::Nowhere);
        assert_eq!(sh("(a) | b").runs()[1].output, Output::Pipe(2));
        assert_eq!(sh("a | b >&2").runs()[2].output, Output::Kubelet);
    }
}

mod talking {
    use super::*;

    #[test]
    fn hosts_are_read_from_every_spelling() {
        for (script, expected) in [
            ("pg_isready -U postgres", "pg_isready>default"),
            ("pg_isready -hdb -p5433", "pg_isready>db:5433"),
            ("pg_isready --host=db --port 5433", "pg_isready>db:5433"),
            ("pg_isready -d 'host=db port=1 dbname=x'", "pg_isready>db:1"),
            ("pg_isready -d dbname=gitea -h 127.0.0.1 -p 5432", "pg_isready>loopback:5432"),
            ("pg_isready -h /var/run/postgresql", "pg_isready>socket"),
            ("psql postgres://u:p@db.shop:5432/x -c 'SELECT 1'", "psql>db.shop:5432"),
            ("psql postgres:///x", "psql>socket"),
            ("psql -U user -d postgres -c 'SELECT 1'", "psql>default"),
            ("PGHOST=db psql -c 'SELECT 1'", "psql>db"),
            ("export PGHOST=$DB; psql -c 'SELECT 1'", "psql>$DB"),
            ("mysqladmin ping -h db -psecret", "mysqladmin>db"),
            ("mysqladmin -uroot -p$MYSQL_ROOT_PASSWORD ping", "mysqladmin>default"),
            ("mysqladmin -p \"$X\" -h127.0.0.1 ping", "mysqladmin>loopback"),
            ("mysql -h127.0.0.1 -uroot -p$P -e'SELECT 1'", "mysql>loopback"),
            ("mariadb-admin --socket=/run/mysqld/mysqld.sock ping", "mariadb-admin>socket"),
            ("redis-cli -h $REDIS_HOST ping", "redis-cli>$REDIS_HOST"),
            ("redis-cli ping --user x -h other", "redis-cli>default"),
            ("redis-cli -u redis://:pw@cache:6380/0 ping", "redis-cli>cache:6380"),
            ("redis-cli -h localhost -p 6379 ping", "redis-cli>loopback:6379"),
            ("mongosh mongodb://db:27017/x --eval 1", "mongosh>db:27017"),
            ("mongosh 'mongodb://u:p@a:1,b:2/x?replicaSet=r' --eval 1", "mongosh>a:1 mongosh>b:2"),
            ("mongosh admin --eval 1", "mongosh>default"),
            ("mongosh --host db --port $PORT --eval 1", "mongosh>db:${PORT}"),
            ("nc -z kafka 9092", "nc>kafka:9092"),
            ("nc -zv -w 2 ::1 9092", "nc>loopback:9092"),
            ("nc -w 1 -q 1 127.0.0.1 2181", "nc>loopback:2181"),
            ("nc -U /run/x.sock", "nc>socket"),
            ("kafka-topics.sh --bootstrap-server broker:9092 --list", "kafka-topics.sh>broker:9092"),
            (
                "/opt/kafka/bin/kafka-topics.sh --bootstrap-server a:1,b:2 --list",
                "kafka-topics.sh>a:1 kafka-topics.sh>b:2",
            ),
            ("curl http://other-svc/health", "curl>other-svc"),
            ("curl -fsS localhost:8080/health", "curl>loopback:8080"),
            ("curl 'http://[::1]:8080/x'", "curl>loopback:8080"),
            ("curl http://[2001:db8::1]/", "curl>2001:db8::1"),
            ("curl --unix-socket /run/docker.sock http://localhost/_ping", "curl>loopback curl>socket"),
            ("curl -H 'Host: x' -o /dev/null -m 1 \"http://$(hostname -i):80/\"", "curl>own-pod:80"),
            ("curl http://$HOSTNAME:9000", "curl>own-pod:9000"),
            ("curl http://${HOSTNAME}.svc:9000", "curl>own-pod:9000"),
            ("curl http://$POD_NAME.web.$NS.svc/", "curl>own-pod"),
            ("curl http://db.$NS.svc/", "curl>db.${NS}.svc"),
            ("curl http://$HEAD.$NS.svc/", "curl>$HEAD+$NS"),
            ("curl $URL", "curl>$URL"),
            ("curl $OPTS", "curl>$OPTS"),
            ("wget -q -O- http://127.0.0.1:8080/x", "wget>loopback:8080"),
            ("wget --spider http://0.0.0.0/", "wget>loopback"),
            ("/bin/grpc_health_probe -addr=:50051", "grpc_health_probe>default:50051"),
            ("grpc_health_probe --addr users:50051", "grpc_health_probe>users:50051"),
            ("podcli check http localhost:9898/healthz", "podcli>loopback:9898"),
            ("vault status -address=https://vault:8200", "vault>vault:8200"),
            (
                "etcdctl --endpoints=https://a:2379,https://127.0.0.1:2379 endpoint health",
                "etcdctl>a:2379 etcdctl>loopback:2379",
            ),
            ("celery -A shop -b amqp://rabbit// inspect ping", "celery>rabbit"),
            ("celery -A shop inspect ping -d celery@$HOSTNAME", "celery>unknown"),
            ("python3 -m celery -A shop status -b redis://r:1", "python3>r:1"),
            ("nodetool -h db -pw x status", "nodetool>db"),
            ("cqlsh db 9042 -e 'x'", "cqlsh>db:9042"),
            ("rabbitmqctl -n rabbit@other status", "rabbitmqctl>other"),
            ("ping -c 1 -W 1 gateway", "ping>gateway"),
            ("openssl s_client -connect ldap:636", "openssl>ldap:636"),
            ("dig @10.0.0.10 kafka", "dig>10.0.0.10"),
            ("nslookup kafka", "nslookup>unknown"),
            ("node -e \"require('http').get('http://localhost:3000/health')\"", "node>loopback:3000"),
            ("python -c 'import urllib.request as r; r.urlopen(\"http://api:80/x\")'", "python>api:80"),
            ("python app.py", "python>unknown"),
            ("timeout 1 bash -c '</dev/tcp/db/5432'", "device>db:5432"),
            ("exec 3<>/dev/tcp/127.0.0.1/9181", "device>loopback:9181"),
            ("cat < /dev/tcp/$DB_HOST/$DB_PORT", "device>$DB_HOST:${DB_PORT}"),
            ("rpk cluster health", "rpk>default"),
        ] {
            let exec = sh(script);
            assert!(exec.understood(), "{script}");
            assert_eq!(targets(&exec), expected, "{script}");
        }
    }

    #[test]
    fn variables_set_in_the_script_are_followed() {
        let exec = sh("host=\"${NODE_HOST:-$(hostname -i | awk '{print $1}')}\"\nhost=\"${host:-localhost}\"\n\
            case \"${host}\" in *:*) host=\"[${host}]\" ;; esac\ncurl -f http://$host:9001/x");
        assert_eq!(targets(&exec), "curl>$NODE_HOST?own-pod:9001");
        assert_eq!(targets(&sh("H=db; nc -z $H 1")), "nc>db:1");
        assert_eq!(targets(&sh("H=$(hostname -f); nc -z $H 1")), "nc>own-pod:1");
        assert_eq!(targets(&sh("for h in db cache; do nc -z $h 1; done")), "nc>db:1");
        assert_eq!(targets(&sh("A=$B; B=$A; nc -z $A 1")), "nc>unknown:1");
    }

    #[test]
    fn the_default_names_the_variables_that_could_change_it() {
        let exec = exec(&["pg_isready"]);
        let target = exec.calls(clients())[0].targets().remove(0);
        let Peer::Default(environment) = &target.peer else { panic!("{target:?}") };
        assert_eq!(environment, &["PGHOST", "PGHOSTADDR"]);
        assert_eq!(shown(&["pg_isready"], target.place), "pg_isready");
    }

    #[test]
    fn time_limits_are_read_with_their_units() {
        let waits = |script: &str| {
            let exec = sh(script);
            let calls = exec.calls(clients());
            let waits = calls.iter().flat_map(Call::waits);
            let shown = waits.map(|wait| format!("{:?}/{:?}", wait.seconds.unwrap_or(-1.0), wait.scope));
            shown.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(waits("curl -m 2 --connect-timeout=1 x"), "2.0/Total 1.0/Connect");
        assert_eq!(waits("timeout 14 curl -sm3 x"), "14.0/Total 3.0/Total");
        assert_eq!(waits("pg_isready"), "3.0/Connect");
        assert_eq!(waits("pg_isready -t 30"), "30.0/Connect");
        assert_eq!(waits("wget -T5 x"), "5.0/Each");
        assert_eq!(waits("nc -w 1 -q 1 h 1"), "1.0/Each 1.0/Sleep");
        assert_eq!(waits("grpc_health_probe -addr=:7070 -rpc-timeout=5s"), "1.0/Connect 5.0/Each");
        assert_eq!(waits("sleep 1m"), "60.0/Sleep");
        assert_eq!(waits("curl -m $T x"), "-1.0/Total");
        assert_eq!(sh("curl --retry 3 x").calls(clients())[0].attempts(), Some(3));
    }

    #[test]
    fn questions_about_more_than_the_process_are_recognised() {
        let asked = |script: &str| {
            let exec = sh(script);
            let calls = exec.calls(clients());
            calls.iter().flat_map(Call::asks).map(|ask| format!("{:?}", ask.about)).collect::<Vec<_>>().join(" ")
        };
        for (script, expected) in [
            ("celery -A shop inspect ping -d celery@$HOSTNAME", "Broker"),
            ("celery -A x status", "Broker"),
            ("CONNECTION_CHECK_MAX_COUNT=0 python -m celery --app x inspect ping", "Broker"),
            ("rpk cluster health | grep 'Healthy:.*true'", "Cluster"),
            ("nodetool status | grep -E \"^UN\\\\s+${POD_IP}\"", "Cluster"),
            ("nodetool status", ""),
            ("nodetool info | grep 'Native Transport active: true'", ""),
            ("curl -fsS \"http://localhost:9200/_cluster/health?wait_for_status=green&timeout=2s\"", "Cluster"),
            ("curl -s localhost:9200/_cluster/health | grep -q green", "Cluster"),
            ("curl -sf localhost:9200/_cluster/health", ""),
            ("mongosh --eval 'db.hello().isWritablePrimary || db.hello().secondary' | grep true", "Role"),
            ("mongosh --eval 'quit(db.hello().isWritablePrimary ? 0 : 1)'", "Leader Role"),
            ("mongosh --eval \"db.adminCommand('ping')\"", ""),
            ("rabbitmqctl node_health_check", "State"),
            ("rabbitmq-diagnostics -q ping", ""),
            ("vault status -tls-skip-verify", "State"),
            ("curl -f http://127.0.0.1:8200/v1/sys/health", "State"),
            ("curl -f 'http://127.0.0.1:8200/v1/sys/health?standbyok=true'", ""),
            ("consul operator raft list-peers", "Quorum"),
            ("consul members", "Quorum"),
            ("etcdctl endpoint health --cluster", "Quorum Cluster"),
            ("curl -s http://127.0.0.1:8500/v1/status/leader | grep .", "Quorum"),
            (
                "kafka-topics.sh --zookeeper zookeeper.kafka:2181 --describe --under-replicated-partitions",
                "Cluster Cluster",
            ),
            ("kafka-broker-api-versions.sh --bootstrap-server localhost:9092", ""),
            ("redis-cli info replication | grep role:master", "Role"),
            ("nslookup kafka", "Cluster"),
        ] {
            assert_eq!(asked(script), expected, "{script}");
        }
    }

    #[test]
    fn the_own_pod_is_named_in_a_command_or_by_those_who_read_it() {
        let names = |script: &str| {
            let exec = sh(script);
            let calls = exec.calls(clients());
            exec.names_own_pod(calls[0].id, &["ME"])
        };
        for script in [
            "celery -A shop inspect ping -d celery@$HOSTNAME",
            "celery -A shop inspect ping -d celery@$(hostname)",
            "celery -A shop inspect ping -d $ME",
            "nodetool status | grep UN | grep -q ${POD_IP}",
            "[ -n \"$(nodetool status | grep \"UN.*$(hostname -i)\")\" ]",
        ] {
            assert!(names(script), "{script}");
        }
        for script in ["celery -A shop inspect ping", "nodetool status | grep UN; echo $HOSTNAME"] {
            assert!(!names(script), "{script}");
        }
    }

    #[test]
    fn a_ping_that_exits_with_zero_on_refusal_is_recognised() {
        let exec = exec(&["redis-cli", "ping"]);
        let calls = exec.calls(clients());
        let reply = calls[0].reply().unwrap();
        assert_eq!(reply.succeeds_on, "`LOADING` and `NOAUTH`");
        assert!(!calls[0].compares_reply(reply));
        let exec = sh("redis-cli ping | grep -q PONG");
        let calls = exec.calls(clients());
        assert!(calls[0].compares_reply(calls[0].reply().unwrap()));
    }
}

mod http {
    use super::*;

    fn client(script: &str) -> HttpClient {
        let exec = sh(script);
        exec.calls(clients()).iter().find_map(Call::http_client).unwrap()
    }

    #[test]
    fn a_curl_that_decides_without_failing_on_errors_misses_them() {
        for script in [
            "curl http://localhost:8080/health",
            "curl --head --silent http://localhost/",
            "curl -sS -m2 localhost:8080/x",
            "curl -s -o /dev/null http://localhost/ || exit 1",
            "curl -k https://localhost/ >/dev/null",
            "timeout 3 curl localhost:80",
            "curl -sS http://$HOST:80/ && nc -z localhost 1",
        ] {
            assert!(client(script).misses_http_errors(), "{script}");
        }
    }

    #[test]
    fn fail_options_checks_of_the_output_and_ignored_runs_are_fine() {
        for script in [
            "curl -fsS http://localhost/",
            "curl -sf http://localhost/",
            "curl --fail 127.0.0.1:5066",
            "curl --fail-with-body http://localhost/",
            "curl --noproxy '*' -is 'http://localhost:8080/health' | grep -iq '\"status\": \"UP\"'",
            "[ \"$(curl -s -o /dev/null -w '%{http_code}' http://localhost/)\" = 200 ]",
            "code=$(curl -so /dev/null -w '%{http_code}' http://localhost/); test $code -lt 400",
            "curl http://localhost/ || true",
            "curl telnet://localhost:25",
            "curl -K /etc/curlrc http://localhost/",
            "curl $URL",
        ] {
            assert!(!client(script).misses_http_errors(), "{script}");
        }
        assert!(client("curl -w '%{http_code}' x").prints_status);
        assert_eq!(client("curl -K /etc/curlrc x").fails_on_http_error, Answer::Unknown);
    }
}

mod no_shell {
    use super::*;

    fn kinds(argv: &[&str]) -> String {
        let exec = exec(argv);
        let shown = exec.misread().iter().map(|misread| format!("{:?}@{}", misread.kind, shown(argv, misread.place)));
        shown.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn shell_syntax_that_nobody_reads_is_found() {
        assert_eq!(kinds(&["redis-cli", "ping", "|", "grep", "PONG"]), "Operator@|");
        assert_eq!(kinds(&["a", "&&", "b", ">", "/dev/null", "2>&1"]), "Operator@&& Redirection@> Redirection@2>&1");
        assert_eq!(kinds(&["mariadb-admin", "-uroot", "-p$DB_SECRET", "ping"]), "Variable(\"DB_SECRET\")@$DB_SECRET");
        assert_eq!(kinds(&["x", "${HOST}:80"]), "Variable(\"HOST\")@${HOST}");
        assert_eq!(kinds(&["mysql", "-e", "'SELECT 1'"]), "Quotes@'SELECT 1'");
        assert_eq!(kinds(&["sh", "-c", "curl", "http://x"]), "ExtraWords@http://x");
        assert_eq!(
            kinds(&["wget -q http://localhost:8080/up || exit 1"]),
            "WholeLine { needs_shell: true }@wget -q http://localhost:8080/up || exit 1"
        );
        assert_eq!(kinds(&["cat /tmp/healthy"]), "WholeLine { needs_shell: false }@cat /tmp/healthy");
        assert_eq!(kinds(&["curl", "http://$(hostname -i)/"]), "Substitution@$(hostname -i)/");
    }

    #[test]
    fn look_alikes_are_left_alone() {
        for argv in [
            &["mongo", "--eval", "db.adminCommand('ping')"] as &[&str],
            &["psql", "-c", "SELECT * FROM t WHERE a > 1; SELECT 2"],
            &["grep", "-E", "a|b$", "/x"],
            &["awk", "{print $1, $NF}", "/x"],
            &["curl", "http://x/?a=1&b=2"],
            &["mysql", "-D", "$$DB"],
            &["x", "$(POD_IP)"],
            &["sh", "-c", "a | b > /dev/null; echo $X"],
            &["sh", "-c", "test -f \"$1\"", "--", "/x"],
            &["/bin/bash", "-c", "/probe.sh"],
        ] {
            let found = kinds(argv);
            // `$$DB` reaches the program as `$DB`, which is what its author wanted to be read by a shell.
            assert!(found.is_empty() || argv[0] == "mysql", "{argv:?}: {found}");
        }
    }
}

mod shapes {
    use super::*;

    /// Commands with the shapes of real probes, in our own words; each must be understood.
    const COMMANDS: &[&[&str]] = &[
        &["/bin/sh", "-i", "-c", "MYSQL_PWD=\"$APP_PASSWORD\" mysqladmin -u $APP_USER ping"],
        &["/bin/bash", "-c", "mysql -h 127.0.0.1 -D $$APP_DB -u$$APP_USER -p$$APP_PASSWORD -e 'SELECT 1'"],
        &["sh", "-c", "#!/usr/bin/env bash -e\ncurl --fail 127.0.0.1:8081\n"],
        &[
            "/bin/sh",
            "-c",
            "LIMIT=${LIMIT:-60}; STUCK=${LIMIT:-90}; if [ ! -e /spool ]; then exit 1; fi; touch -d \"${STUCK} seconds ago\" \
             /run/mark; if [ -z \"$(find /spool -newer /run/mark -print -quit)\" ]; then rm -rf /spool/x; exit 1; fi;",
        ],
        &["bash", "-c", "grep \"no shares\" /var/log/server.log > /dev/null 2>&1 ; [ $? -ne 0 ]"],
        &[
            "/bin/bash",
            "-c",
            "nsenter --mount=${HOST}/proc/1/ns/mnt pgrep -x daemon && \\\nnsenter --mount=${HOST}/proc/1/ns/mnt lsmod | grep \
             -q module",
        ],
        &["bash", "-c", "test -n \"$(find /run/heartbeat -newermt '30 sec ago')\""],
        &["bash", "-c", "{ echo hello; sleep 1; } | nc 127.0.0.1 7000 | grep world"],
        &["/bin/bash", "-ec", "nodetool info | grep \"Gossip active: true\"\n"],
        &["/bin/sh", "-c", "[ \"world\" = \"$(echo hello | nc -w 1 -q 1 127.0.0.1 7000)\" ]"],
        &[
            "/bin/bash",
            "-c",
            "echo \"at $(date -Ins -u)\" >> /run/log && [ $( bin/kafka-topics.sh --zookeeper zk.queue:2181 --describe | tee \
             -a /run/log | wc -l ) -eq 0 ]",
        ],
        &[
            "/bin/sh",
            "-c",
            "#!/bin/bash\nSECRET=$(grep -h pass /etc/cache.conf | cut -d ' ' -f 2)\nif [ ! -z \"$SECRET\" ]; then\n  export \
             REDISCLI_AUTH=\"$SECRET\"\nfi\nanswer=$(redis-cli ping)\nif [ \"$answer\" != \"PONG\" ]; then exit 1; fi",
        ],
        &[
            "/bin/sh",
            "-c",
            "-e",
            "exec pg_isready -U \"keeper\" -h 127.0.0.1 -p 5432\n[ -f /data/a.done ] || [ -f /data/b.done ]\n",
        ],
        &[
            "/bin/bash",
            "-ec",
            "secret=\"${APP_PASSWORD:-}\"\nif [[ -f \"${APP_PASSWORD_FILE:-}\" ]]; then\n    secret=$(cat \
             \"$APP_PASSWORD_FILE\")\nfi\nmysqladmin status -uroot -p\"${secret}\"\n",
        ],
        &[
            "sh",
            "-c",
            ". /opt/venv/bin/activate && \\\nRETRIES=0 python -m celery --app shop.app inspect ping -d celery@${HOSTNAME}",
        ],
        &["/bin/bash", "-ec", "export RETRIES=0\ntimeout 14 airflow jobs check --local --limit 0 2>/dev/null\n"],
        &["bash", "-c", "[[ -f \"/opt/x/prepare.sh\" ]] && source \"/opt/x/prepare.sh\"\nmodel --help\n"],
        &["/bin/sh", "-c", "test -f /run/started && echo \"list\" | /usr/bin/store shell | grep -q bucket"],
        &[
            "sh",
            "-c",
            "curl --noproxy \"*\" -fsS -o /dev/null --max-time 1 -H \"X-Pass: $PASS\" \"http://localhost:9000/api/live\"\n",
        ],
        &[
            "bash",
            "-c",
            "export HEAD=${HEAD_SVC}.${NAMESPACE}.svc\nexport ADDRESS=${HEAD}:6379\npython ./check.py nodes --name x\n",
        ],
        &["/bin/sh", "-c", "pgrep -f ^worker"],
    ];

    #[test]
    fn commands_of_real_probes_are_understood() {
        for argv in COMMANDS {
            let exec = exec(argv);
            assert!(exec.understood(), "{argv:?}");
            assert!(exec.programs().next().is_some(), "{argv:?}");
            assert!(exec.misread().is_empty(), "{argv:?}: {:?}", exec.misread());
            for call in exec.calls(clients()) {
                let far: Vec<_> =
                    call.targets().into_iter().filter(|target| matches!(target.peer, Peer::Name(_))).collect();
                assert_eq!(far.is_empty(), !argv.last().unwrap().contains("zk.queue"), "{argv:?}: {far:?}");
            }
        }
    }

    #[test]
    fn real_scripts_are_decided_by_the_command_one_would_name() {
        let of = |index: usize| decisions(&exec(COMMANDS[index]));
        assert_eq!(of(0), "mysqladmin=Yes");
        assert_eq!(of(4), "grep=Yes [=Yes");
        assert_eq!(of(5), "pgrep=Yes lsmod=No grep=Yes");
        assert_eq!(of(7), "echo=No sleep=No nc=No grep=Yes");
        assert_eq!(of(14), ".=Yes python=Yes");
        assert_eq!(of(15), "export=No airflow=Yes");
        assert!(of(11).contains("redis-cli=No"), "{}", of(11));
        assert!(exec(COMMANDS[5]).programs().next().unwrap().1.elsewhere);
    }
}

mod robust {
    use std::time::Instant;

    use super::*;

    /// Asks everything there is to ask.
    fn interrogate(argv: &[&str]) {
        let exec = exec(argv);
        let all = exec.runs().iter().flat_map(|run| run.words.iter().chain(&run.wrapped_in)).map(|word| word.place);
        for place in all.chain(exec.misread().iter().map(|misread| misread.place)) {
            let text = argv[place.arg as usize];
            assert!(place.span.end as usize <= text.len() && place.span.start <= place.span.end, "{argv:?} {place:?}");
            assert!(text.is_char_boundary(place.span.start as usize), "{argv:?} {place:?}");
            assert!(text.is_char_boundary(place.span.end as usize), "{argv:?} {place:?}");
        }
        for call in exec.calls(clients()) {
            for target in call.targets() {
                let text = argv[target.place.arg as usize];
                assert!(
                    text.get(target.place.span.start as usize..target.place.span.end as usize).is_some(),
                    "{argv:?}"
                );
            }
            let _ = (call.waits(), call.asks(), call.reply(), call.http_client(), call.attempts());
        }
        for (id, run) in exec.runs().iter().enumerate() {
            let _ = (exec.readers(id), exec.device_targets(run));
        }
    }

    const PIECES: &[&str] = &[
        "sh",
        "-c",
        "bash",
        "-ec",
        "curl",
        "-f",
        "http://db:80/x",
        "$X",
        "${X:-y}",
        "${X",
        "$(",
        ")",
        "(",
        "`",
        "\"",
        "'",
        "\\",
        "\n",
        ";",
        ";;",
        "&",
        "&&",
        "|",
        "||",
        ">",
        "<<EOF",
        "EOF",
        "2>&1",
        "{",
        "}",
        "if",
        "then",
        "else",
        "fi",
        "case",
        "in",
        "esac",
        "for",
        "do",
        "done",
        "while",
        "[[",
        "]]",
        "((",
        "))",
        "$((",
        "f()",
        "f",
        "exit",
        "$?",
        "!",
        "=",
        "a=",
        "export",
        "timeout",
        "5",
        "env",
        "su",
        "-",
        " ",
        "é",
        "\u{fffc}",
        "$$",
        "$(X)",
        "#",
        "mysql",
        "-h",
        "://",
        "[::1]:9",
        "@",
        ",",
        "/dev/tcp/a/1",
        "<",
        "%{http_code}",
        "$'\\n",
        "\t",
        "\r",
        "psql",
        "host=x",
        "return",
        "break",
        "set",
        "-e",
        "function",
        "until",
        "0",
        "true",
        "exec",
    ];

    /// A small generator of numbers, so that every run of the test sees the same inputs.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % limit as u64) as usize
        }
    }

    #[test]
    fn no_mixture_of_shell_syntax_panics() {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        for _ in 0..1000 {
            let mut script = String::new();
            for _ in 0..dice.below(40) {
                script.push_str(PIECES[dice.below(PIECES.len())]);
                if dice.below(2) == 0 {
                    script.push(' ');
                }
            }
            interrogate(&["sh", "-c", &script]);
            interrogate(&[&script]);
            let words: Vec<&str> = script.split(' ').collect();
            interrogate(&words);
        }
    }

    #[test]
    fn no_text_panics() {
        let mut dice = Dice(7);
        for _ in 0..1000 {
            let mut text = String::new();
            for _ in 0..dice.below(30) {
                let range = [0x80, 0x80, 0x80, 0x800, 0x1_1000][dice.below(5)];
                text.extend(char::from_u32(dice.below(range) as u32));
            }
            interrogate(&["bash", "-c", &text]);
            let words: Vec<&str> = text.split(' ').collect();
            interrogate(&words);
        }
    }

    #[test]
    fn hostile_input_takes_linear_time() {
        let patterns = [
            "$(",
            "`",
            "\\`",
            "((",
            "$((",
            "(",
            "{ ",
            "${x:-",
            "\"$(",
            "if a;then ",
            "a;",
            "a|",
            "a&&",
            "f(){ ",
            "case x in a) ",
            "$(($(",
            "<<E\n",
            "'",
            "\"",
            "\\",
            "$",
            "$$",
            "$(X)",
            "[[ ",
            "f(){ f; };f;",
            "a=$(a ",
            "sh -c '",
            "x=$x;",
            "curl $x;",
            "export a=$(",
            "env a=$(b) ",
            "!",
            "a \\\n",
            "#",
            "f;f(){ a; };",
            "x=$(curl a);echo $x;",
            "timeout 1 ",
            "://",
            "nc $h 1;h=$h;",
        ];
        let started = Instant::now();
        for pattern in patterns {
            for closing in ["", ")", "\"", "}"] {
                let mut script = pattern.repeat(8_000 / pattern.len());
                script.push_str(&closing.repeat(4_000));
                let exec = sh(&script);
                let calls = exec.calls(clients());
                let count: usize =
                    calls.iter().map(|call| call.targets().len().max(exec.readers(call.id).len() / 64)).sum();
                assert!(count <= script.len());
                let took = started.elapsed();
                assert!(took.as_secs() < 60, "{pattern:?} {closing:?}");
            }
        }
        let nested = (0..12).fold("true".to_owned(), |inner, _| {
            format!("sh -c \"{}\"", inner.replace('\\', "\\\\").replace('"', "\\\""))
        });
        assert!(sh(&nested).understood());
    }
}

#[test]
fn a_liveness_command_is_questioned_as_a_rule_would() {
    let argv = ["sh", "-c", "pg_isready -h db && curl -s http://localhost:8080/live"];
    let exec = exec(&argv);
    let mut said = Vec::new();
    for call in exec.calls(clients()) {
        if call.run.decides == Decides::Yes {
            for target in call.targets() {
                if let Peer::Name(name) = &target.peer {
                    said.push(format!("asks {name}, underline {:?}", shown(&argv, target.place)));
                }
            }
        }
        if let Some(http) = call.http_client().filter(HttpClient::misses_http_errors) {
            said.push(format!("insert ` -f` at byte {} of element {}", http.insert_at.span.start, http.insert_at.arg));
        }
    }
    assert_eq!(said, ["asks db, underline \"db\"", "insert ` -f` at byte 24 of element 2"]);
}

#[test]
fn the_table_is_consistent() {
    for client in clients().iter() {
        assert!(!client.names.is_empty() && !client.source.is_empty(), "{client:?}");
        let known = |name: &String| client.options.values.contains(name) || client.options.attached.contains(name);
        let limits = client.timeout.iter().map(|limit| &limit.at);
        for place in client.host.iter().chain(&client.port).chain(&client.attempts).chain(limits) {
            assert!(place.options.iter().all(known), "{:?}: {:?}", client.names, place.options);
        }
        let style = |name: &String| client.options.single_dash || name.starts_with("--") || name.len() == 2;
        assert!(client.options.values.iter().chain(&client.options.attached).all(style), "{:?}", client.names);
        assert!(client.asks.iter().all(|ask| !ask.source.is_empty()));
        assert!(client.replies.iter().all(|reply| !reply.source.is_empty()));
    }
    let mut names: Vec<_> = clients().iter().flat_map(|client| &client.names).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(count, names.len());
}
